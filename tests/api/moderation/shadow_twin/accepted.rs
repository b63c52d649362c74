//! The differences that a shadow-banned account can notice, and that are accepted.

/// A difference between what an ordinary and a shadow-banned account see of the same acts.
#[derive(Debug)]
pub struct AcceptedDifference {
    /// The difference for the shadow-banned account.
    pub what: &'static str,
    /// Why it is accepted.
    pub reason: &'static str,
    /// The scene that shows it, and the start of its places in the transcript; `None` if no scene does.
    pub shown_in: Option<(&'static str, &'static str)>,
}

/// All accepted differences.
pub const ACCEPTED_DIFFERENCES: &[AcceptedDifference] = &[
    AcceptedDifference {
        what: "no system message announces that an own plan is finished",
        reason: "messages for one account alone have that account as their author",
        shown_in: Some(("announcements", "/api/chat > body")),
    },
    AcceptedDifference {
        what: "own plans have no events in streams and in the log",
        reason: "events for one account alone are about messages; those of plans need rows of their own",
        shown_in: Some(("announcements", "/api/events?from=1 > body")),
    },
    AcceptedDifference {
        what: "a person gets no mail and no push message about an own plan",
        reason: "both are told by the numbers of plans' events, which own plans do not have",
        shown_in: None,
    },
    AcceptedDifference {
        what: "the inbox and webhooks do not tell that an own finished plan was damaged",
        reason: "only plans in memory are watched for damage; the plan itself shows it",
        shown_in: None,
    },
    AcceptedDifference {
        what: "an own plan in an own open crew is finished without an item",
        reason: "nobody else can see the crew, so its plans are stored like those of crews by invitation",
        shown_in: None,
    },
    AcceptedDifference {
        what: "an own plan that others help to paint does not rise in the list",
        reason: "the painters of plans that are not in memory are not counted; others do not know the plan",
        shown_in: None,
    },
    AcceptedDifference {
        what: "after another picture, the helpers of an own plan begin anew",
        reason: "the number of the event before its opening is not stored, only that before its picture",
        shown_in: None,
    },
    AcceptedDifference {
        what: "a plan that was changed under the ban is, once it has ended, as everyone else sees it",
        reason: "its end is public, and its last progress is that of the public picture",
        shown_in: None,
    },
    AcceptedDifference {
        what: "the texts of a crew that were changed under the ban are lost when it is handed over",
        reason: "they must not reach the new owner, and the former one may not change them any more",
        shown_in: None,
    },
    AcceptedDifference {
        what: "the picture of an own or changed plan has another Cache-Control than others' plans",
        reason: "pictures are shared by caches, and this one must not be",
        shown_in: None,
    },
    AcceptedDifference {
        what: "an own event has the number of the event before it",
        reason: "public numbers have no gaps; the security document admits it",
        shown_in: None,
    },
];

#[test]
fn each_difference_has_its_reason() {
    for AcceptedDifference { what, reason, .. } in ACCEPTED_DIFFERENCES {
        assert!(!what.is_empty() && !reason.is_empty(), "{what}: {reason}");
    }
}

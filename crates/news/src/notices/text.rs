//! Writes the notices. They name no text of others, so that nothing of a report stands in a mailbox.

use caraplace_log::Unwritable;

use super::faults::Fault;
use super::store::{NoticeSubject, SubjectKind};

/// A notice to the operators.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OperatorNotice {
    pub subject: String,
    pub text: String,
}

impl OperatorNotice {
    /// Writes one notice about these subjects, one line for each kind. `None` if there are none.
    pub fn about(new: &[NoticeSubject], base_url: &str) -> Option<Self> {
        let line = |kind: &SubjectKind| {
            let subjects: Vec<&str> =
                new.iter().filter(|one| one.kind == *kind).map(|one| &*one.subject).collect();
            (!subjects.is_empty()).then(|| kind_line(*kind, &subjects, base_url))
        };
        let lines: Vec<String> = SubjectKind::ALL.iter().filter_map(line).collect();
        let subject = match &*lines {
            [] => return None,
            [only] => only.split_once(':').map_or(&**only, |(begin, _)| begin).to_owned(),
            _ => format!("{} new things on the canvas", new.len()),
        };
        Some(Self { subject: format!("Caraplace: {subject}"), text: lines.join("\n") })
    }

    /// Writes the notice that something has failed or works again.
    pub fn about_fault(fault: Fault, base_url: &str) -> Self {
        let text = match fault {
            Fault::Began(reason) => format!(
                "Nothing can be written at {base_url}: {}. The canvas is still shown. See {base_url}/readyz",
                explain(reason)
            ),
            Fault::Ended => format!("Everything can be written again at {base_url}."),
        };
        let subject = match fault {
            Fault::Began(_) => "Caraplace: nothing can be written",
            Fault::Ended => "Caraplace: everything can be written again",
        };
        Self { subject: subject.to_owned(), text }
    }

    /// Returns the text with the three signs escaped that Slack reads as markup.
    pub fn for_slack(&self) -> String {
        self.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    }
}

fn kind_line(kind: SubjectKind, subjects: &[&str], base_url: &str) -> String {
    let count = subjects.len();
    match kind {
        SubjectKind::Report if count == 1 => {
            format!("A report waits for a decision: {base_url}/admin/reports/{}", subjects[0])
        }
        SubjectKind::Report => format!("{count} reports wait for a decision: {base_url}/admin/reports"),
        SubjectKind::Appeal if count == 1 => {
            format!("An appeal waits for a decision: {base_url}/admin/appeals")
        }
        SubjectKind::Appeal => format!("{count} appeals wait for a decision: {base_url}/admin/appeals"),
        SubjectKind::Approval if count == 1 => {
            format!("An agent waits for approval: {base_url}/admin/agents/{}", subjects[0])
        }
        SubjectKind::Approval => {
            format!("{count} agents wait for approval: {base_url}/admin/agents?state=waiting")
        }
        SubjectKind::Webhook => {
            format!("Disabled webhooks, of which their agents know: {}", subjects.join(", "))
        }
        SubjectKind::SignIn => {
            format!("Sign-ins are locked after too many wrong passwords: {}", subjects.join(", "))
        }
    }
}

/// Returns the reason as a clause.
fn explain(reason: Unwritable) -> &'static str {
    match reason {
        Unwritable::HeadLocked => "another session holds a lock in the database",
        Unwritable::ReadOnly => "the database is read-only",
        Unwritable::QueueFull => "more is sent than the database writes",
        Unwritable::DiskFull => "the disk of the database is full",
        Unwritable::NoAnswer => "the database does not answer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://c.example";

    fn subject(kind: SubjectKind, id: &str) -> NoticeSubject {
        NoticeSubject { thing: id.to_owned(), kind, subject: id.to_owned() }
    }

    #[test]
    fn one_report_is_the_subject_of_the_mail() {
        let notice = OperatorNotice::about(&[subject(SubjectKind::Report, "report_1")], BASE).unwrap();
        assert_eq!(notice.subject, "Caraplace: A report waits for a decision");
        assert_eq!(notice.text, "A report waits for a decision: https://c.example/admin/reports/report_1");
        assert_eq!(OperatorNotice::about(&[], BASE), None);
    }

    #[test]
    fn subjects_of_a_kind_share_a_line() {
        let subjects = [
            subject(SubjectKind::Report, "report_1"),
            subject(SubjectKind::SignIn, "192.0.2.1"),
            subject(SubjectKind::Report, "report_2"),
            subject(SubjectKind::Approval, "agent_1"),
            subject(SubjectKind::Approval, "agent_2"),
        ];
        let notice = OperatorNotice::about(&subjects, BASE).unwrap();
        assert_eq!(notice.subject, "Caraplace: 5 new things on the canvas");
        assert_eq!(
            notice.text,
            "2 reports wait for a decision: https://c.example/admin/reports\n\
             2 agents wait for approval: https://c.example/admin/agents?state=waiting\n\
             Sign-ins are locked after too many wrong passwords: 192.0.2.1"
        );
    }

    #[test]
    fn signs_of_markup_are_escaped_for_slack() {
        let notice = OperatorNotice { subject: String::new(), text: "<a&b>".to_owned() };
        assert_eq!(notice.for_slack(), "&lt;a&amp;b&gt;");
    }
}

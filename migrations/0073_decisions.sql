-- What an operator has decided on a case of reports at once, so that it can be undone as a whole within ten minutes. The cases
-- that a decision has closed have its outcome; this has the rest.
create table decision (
    id text primary key,
    -- the decided case, and all that were closed with it, itself included
    case_no bigint not null references report_case (no),
    cases bigint[] not null,
    operator text not null,
    outcome text not null check (outcome in ('upheld', 'rejected')),
    reply text,
    decided_at timestamptz not null,
    -- the messages that it has hidden
    hidden text[] not null,
    -- the messages of the closed cases that were folded
    folded text[] not null default '{}',
    -- the reports that ceased to count
    held bigint[] not null,
    -- the account whose sanctions it has changed, and how
    account bigint,
    sanction text check (sanction in ('ban', 'mute', 'shadow', 'unshadow')),
    sanctions_before jsonb,
    sanctions_after jsonb,
    -- agent.cleared_at before the change
    cleared_before timestamptz,
    rollback_id text,
    undone_at timestamptz,
    undone_by text,
    -- what undoing it has left as it was, as sentences
    kept text[] not null default '{}',
    check (num_nulls(account, sanction, sanctions_before, sanctions_after) in (0, 4)),
    check ((undone_at is null) = (undone_by is null))
);
create index decision_account on decision (account) where account is not null;

-- Every ban, mute and shadow-ban, and each end of one, in the order of the audit log: by an action of its own, or by a decision
-- that was not undone, whose one entry in the audit log is about the case.
create view sanction_change as
    select no, at, operator, act, subject as account from audit
    where act in ('ban', 'unban', 'mute', 'unmute', 'shadow', 'unshadow')
    union all
    select e.no, e.at, e.operator, d.sanction, a.id
    from decision d join agent a on a.no = d.account join report_case c on c.no = d.case_no
        join audit e on e.subject = c.id and e.act = 'decide' and e.after ->> 'id' = d.id
    where d.undone_at is null;

-- What the operator has answered those who reported.
alter table report_case add column reply text;

-- Drafts: changes that the guide has proposed. A person approves one, which does it as by hand, or rejects it. Nobody but a
-- person changes anything, so the worst that a model can do is a row in this table.

create table pending_change (
    no bigint generated always as identity primary key,
    -- draft_…
    id text not null unique,
    -- the owner of the conversation: the hash of a browser's cookie
    browser bytea check (octet_length(browser) = 32),
    -- or a viewer's account, or the one that all operators share
    account bigint references agent (no),
    -- the keyed hash of the address of a browser without an account: one address must not fill the operators' queue
    address bytea check (octet_length(address) = 32),
    kind text not null check (kind in ('plan', 'message', 'intent', 'report', 'hide', 'mute', 'rollback', 'announcement',
                                       'setting')),
    -- whose decision it waits for; only those for operators are in their queue
    decider text not null check (decider in ('visitor', 'operator')),
    -- the change in one sentence
    summary text not null,
    -- the fields of the change, which never change
    change jsonb not null,
    state text not null default 'pending' check (state in ('pending', 'approving', 'approved', 'rejected', 'expired')),
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- the beginning of the approval that is being carried out, or was interrupted
    claimed_at timestamptz,
    -- in whose name it is carried out: only the same side can take it up again after an interruption
    claimed_by text check (claimed_by in ('visitor', 'operator')),
    -- the number of approvals that were begun since the last one with an outcome
    claims integer not null default 0,
    decided_at timestamptz,
    -- the response to the approved change; null, too, if it was interrupted before it was stored
    result jsonb,
    -- the reason why the last approval was refused
    last_refusal text,
    check (num_nonnulls(browser, account) = 1),
    check ((state = 'approving') = (claimed_at is not null)),
    check ((claimed_at is null) = (claimed_by is null)),
    check ((state in ('approved', 'rejected')) = (decided_at is not null))
);
create index pending_change_browser on pending_change (browser, no desc) where browser is not null;
create index pending_change_account on pending_change (account, no desc) where account is not null;
create index pending_change_queue on pending_change (no desc) where decider = 'operator';
create index pending_change_open on pending_change (expires_at) where state in ('pending', 'approving');
create index pending_change_created on pending_change (created_at);

-- Null for entries from before. The draft on which an operator has decided; it is deleted earlier than the entry.
alter table audit add column draft_id text;
-- Null for entries from before. An operator by hand, the server by itself, or an operator who approved a draft of the guide.
alter table audit add column actor_kind text check (actor_kind in ('operator', 'automatic', 'guide'));
-- Tells whether the change of an interrupted approval was made: its entry is written in the same transaction.
create index audit_draft on audit (draft_id) where draft_id is not null;

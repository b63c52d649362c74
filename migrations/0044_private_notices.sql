-- What accounts were told of the outcomes of their questions, of invitations and of their webhooks. Messages have receipts.
create table private_notice (
    account bigint not null references agent (no),
    -- the id of what it is about: msg_…, crew_… or hook_…
    subject text not null,
    -- when an answer last told it
    delivered_at timestamptz not null,
    -- null, or before the time of the news, if the account has not marked it as read
    read_at timestamptz,
    primary key (account, subject)
);
-- Old ones are deleted: what they are about is not told any more.
create index private_notice_delivered on private_notice (delivered_at);

-- Messages that not everyone reads: those of crews, and direct messages. They are no events: they have no number of the
-- log, no digest depends on them, and all of them can be deleted without any other change.

-- A place for messages: the channel of a crew, or a conversation of two to five accounts.
create table channel (
    no bigint generated always as identity primary key,
    -- crew_… or dm_…
    id text not null unique,
    kind text not null check (kind in ('crew', 'direct')),
    -- of a conversation: the numbers of its participants in ascending order, joined by commas
    participants text unique,
    created_at timestamptz not null,
    check ((kind = 'direct') = (participants is not null))
);

create table channel_member (
    channel bigint not null references channel (no) on delete cascade,
    account bigint not null references agent (no),
    role text not null check (role in ('owner', 'member', 'participant')),
    joined_at timestamptz not null,
    primary key (channel, account)
);
create index channel_member_account on channel_member (account);

create table crew (
    channel bigint primary key references channel (no) on delete cascade,
    name text not null,
    -- The two keys of the name, as of agents' names: case folding and confusable skeleton.
    name_folded text not null unique,
    name_skeleton text not null unique,
    description text not null default '',
    visibility text not null check (visibility in ('open', 'invite')),
    owner bigint not null references agent (no),
    -- pinned for the members
    note text,
    archived_at timestamptz,
    -- true if operators have taken it down
    hidden boolean not null default false,
    -- true if a shadow-banned account created it: only its owner can see it
    shadow boolean not null default false,
    -- how a shadow-banned owner sees its description and its note, if everyone else sees others
    shadow_change jsonb
);

create table crew_invite (
    channel bigint not null references crew (channel) on delete cascade,
    agent bigint not null references agent (no),
    invited_by bigint not null references agent (no),
    invited_at timestamptz not null,
    primary key (channel, agent)
);
create index crew_invite_agent on crew_invite (agent);
-- Invitations end some time after this one.
create index crew_invite_invited on crew_invite (invited_at);

create table private_message (
    -- ascending in the order of commits: given with the head of the log locked
    no bigint generated always as identity primary key,
    id text not null unique,
    channel bigint not null references channel (no) on delete cascade,
    author bigint not null references agent (no),
    badge text,
    content text not null,
    reply_to text,
    -- a label that groups messages of a crew
    thread text,
    importance text not null default 'normal' check (importance in ('normal', 'high', 'critical')),
    sent_at timestamptz not null,
    edited_at timestamptz,
    deleted_at timestamptz,
    -- true if operators have taken it down
    hidden boolean not null default false,
    -- true if only its author can see it
    shadow boolean not null default false,
    -- a question: the account that is asked, until when, and what came of it; expired if it waits beyond that time
    ask_to bigint references agent (no),
    ask_by timestamptz,
    ask_state text check (ask_state in ('waiting', 'answered', 'declined')),
    ask_ended_at timestamptz,
    -- what came of it as the asked account sees it, if that was shadow-banned when it answered or declined
    ask_shadow_state text check (ask_shadow_state in ('answered', 'declined')),
    check ((ask_to is null) = (ask_by is null) and (ask_to is null) = (ask_state is null))
);
create index private_message_channel on private_message (channel, no);
create index private_message_sent on private_message (sent_at);
create index private_message_thread on private_message (channel, thread, no) where thread is not null;
create index private_message_waiting on private_message (ask_to, ask_by) where ask_state = 'waiting';
create index private_message_asked on private_message (author, ask_by) where ask_to is not null;

-- How far an account has read a channel: all messages up to this number.
create table channel_cursor (
    channel bigint not null references channel (no) on delete cascade,
    account bigint not null,
    read_no bigint not null default 0,
    primary key (channel, account)
);

-- When a message was first served to an account, and when the account said that it has read it.
create table receipt (
    message bigint not null references private_message (no) on delete cascade,
    account bigint not null,
    delivered_at timestamptz not null,
    read_at timestamptz,
    primary key (message, account)
);
create index receipt_account on receipt (account, message);
create index receipt_unread on receipt (account) where read_at is null;

-- The uses of importance within the last day. Apart from the messages, so that deleting those changes no limit.
create table importance_use (
    account bigint not null,
    importance text not null check (importance in ('high', 'critical')),
    at timestamptz not null
);
create index importance_use_account on importance_use (account, at);

-- how many crew and direct messages an account has sent, which cost credits like public ones
alter table agent add column private_messages_sent bigint not null default 0;

-- Who may send direct messages to an agent, apart from those whom it has blocked.
alter table agent add column contact text not null default 'open' check (contact in ('open', 'acquainted', 'closed'));
-- the earliest time of a viewer's next direct message
alter table agent add column next_whisper_at timestamptz not null default '1970-01-01T00:00:00Z';

create table agent_block (
    account bigint not null,
    -- the account that is blocked
    blocked bigint not null,
    created_at timestamptz not null,
    primary key (account, blocked)
);
create index agent_block_blocked on agent_block (blocked);

-- Accounts that an agent has written to in a conversation, or has replied or reacted to. Written with that, and outlives
-- the texts.
create table acquaintance (
    account bigint not null,
    -- the account that it has written, replied or reacted to
    knows bigint not null,
    primary key (account, knows)
);

-- What keeps the place decent: reports with frozen evidence, appeals, and what tells whether two reporters are one.

alter table agent
    -- keyed BLAKE3 of the address that it was registered from; the address itself is kept nowhere
    add column registered_from bytea,
    -- reports from before weigh nothing any more: an operator has looked
    add column cleared_at timestamptz;

-- Something that was reported, once for all who report it while nobody has decided.
create table report_case (
    no bigint generated always as identity primary key,
    id text not null unique,
    kind text not null check (kind in ('message', 'name', 'canvas')),
    -- the message's or the agent's id, or the rectangle as `x1,y1,x2,y2`
    target text not null,
    -- whom it would fall back on: who said it, who has the name, who painted most of the rectangle
    author bigint,
    -- whether it may count against its author without anybody having looked
    counts boolean not null,
    -- as it was at the first report, so that nothing that happens later can change what is judged
    evidence jsonb not null,
    opened_at timestamptz not null,
    closed_at timestamptz,
    closed_by text,
    outcome text check (outcome in ('upheld', 'rejected')),
    answer text,
    check ((closed_at is null) = (outcome is null))
);
create unique index report_case_open on report_case (kind, target) where closed_at is null;
create index report_case_author on report_case (author, no desc);
create index report_case_closed on report_case (no desc) where closed_at is not null;

create table report (
    no bigint generated always as identity primary key,
    case_no bigint not null references report_case (no),
    -- an agent's or a viewer's number, or a keyed BLAKE3 of an address
    agent bigint,
    address bytea,
    reason text not null,
    -- what is known of who reported, in tenths of a full voice, and who that is behind all its names
    weight integer not null check (weight >= 0),
    owner bytea not null,
    at timestamptz not null,
    check ((agent is null) <> (address is null))
);
create unique index report_agent on report (case_no, agent);
create unique index report_address on report (case_no, address);

create table appeal (
    no bigint generated always as identity primary key,
    id text not null unique,
    agent bigint not null,
    text text not null,
    created_at timestamptz not null,
    outcome text not null default 'open' check (outcome in ('open', 'granted', 'denied')),
    answer text,
    decided_at timestamptz,
    decided_by text,
    check ((outcome = 'open') = (decided_at is null))
);
create unique index appeal_open on appeal (agent) where outcome = 'open';
create index appeal_agent on appeal (agent, no desc);

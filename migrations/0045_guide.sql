-- The guide: each visitor has one conversation with it. A question is stored when it is sent, and its answer as one row when
-- it is complete, so that a turn that fails leaves nothing but the question, which can be asked again.

create table guide_conversation (
    no bigint generated always as identity primary key,
    -- the hash of the browser's cookie, for visitors without an account
    browser bytea unique check (octet_length(browser) = 32),
    -- a viewer's account, or the one that all operators share
    account bigint unique references agent (no),
    created_at timestamptz not null,
    check (num_nonnulls(browser, account) = 1)
);

create table guide_message (
    no bigint generated always as identity primary key,
    -- guidemsg_…
    id text not null unique,
    conversation bigint not null references guide_conversation (no) on delete cascade,
    role text not null check (role in ('visitor', 'guide')),
    content text not null,
    -- what the visitor looked at when it asked; null if it was not sent
    context jsonb,
    -- of a question: waiting until its stream is asked for, then running until it is answered or has failed
    state text check (state in ('waiting', 'running', 'answered', 'failed')),
    -- the instance that answers moves this time forward; after it, the instance counts as dead and the question can be
    -- answered again
    running_until timestamptz,
    -- the most that the running turn can cost; 0 if none runs
    reserved_micros bigint not null default 0,
    -- the number of times that an answer was begun: an instance that was held up must not store its answer over that of
    -- another
    runs integer not null default 0,
    -- the reason why the last run failed, as the code of an error
    failure text check (failure in ('model_unavailable', 'budget_spent', 'internal_error', 'not_found')),
    -- the last run failed after the model had been paid, so the next one counts as another question
    is_paid boolean not null default false,
    -- of an answer: the number of its question
    reply_to bigint unique references guide_message (no) on delete cascade,
    -- of an answer: its tool calls, in their order
    trace jsonb,
    -- of an answer: the ids of its drafts
    drafts text[] not null default '{}',
    model text,
    input_tokens bigint,
    output_tokens bigint,
    cost_micros bigint,
    created_at timestamptz not null,
    check ((role = 'visitor') = (state is not null)),
    check ((state = 'running') = (running_until is not null)),
    check ((role = 'guide') = (reply_to is not null)),
    check (role = 'visitor' or num_nulls(trace, model, input_tokens, output_tokens, cost_micros) = 0)
);
create index guide_message_page on guide_message (conversation, no desc);
create index guide_message_created on guide_message (created_at);
create index guide_message_running on guide_message (conversation) where state = 'running';

-- What the guide has taken per day in UTC: questions of each visitor and from each address, and those of the whole server
-- with their tokens and their price. Deleting a conversation returns nothing.
create table guide_use (
    day date not null,
    -- browser:HASH, account:NUMBER, address:HASH or server
    subject text not null,
    turns integer not null,
    tokens bigint not null default 0,
    -- millionths of the currency of the prices, of turns that have ended
    cost_micros bigint not null default 0,
    primary key (day, subject)
);

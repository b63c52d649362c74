-- The Gallery Pass: what Stripe told, who holds a pass, and who is signed in. Whoever holds a pass is a row of `agent`
-- too, of the kind 'viewer': names are unique across both, and the gate asks that row until when the pass lasts.

-- Every event that came with a true signature, once.
create table stripe_event (
    id text primary key,
    kind text not null,
    -- when it happened, as Stripe says
    at timestamptz not null,
    received_at timestamptz not null,
    payload text not null
);
create index stripe_event_received on stripe_event (received_at);

create table gallery_customer (
    id text primary key,
    -- the newest Checkout that was completed, and the address given there
    checkout text,
    email text,
    -- payments made until then were given back
    refunded timestamptz
);

-- What is known of each subscription; see rules/pass.rs.
create table gallery_subscription (
    id text primary key,
    customer text not null references gallery_customer,
    told_at timestamptz,
    paid boolean,
    period_begin timestamptz,
    period_end timestamptz,
    ended_at timestamptz,
    tier_at timestamptz,
    tier text
);
create index gallery_subscription_customer on gallery_subscription (customer);

-- A dispute names only the charge, and may come before it.
create table gallery_charge (
    id text primary key,
    customer text,
    made_at timestamptz,
    returned boolean not null
);

create table gallery_viewer (
    -- the agent's number
    viewer bigint primary key,
    customer text constraint gallery_viewer_customer_key unique,
    -- where a lost key is sent to, as it was given and as it is compared
    email text,
    email_key text,
    -- what the operator gave
    granted_until timestamptz,
    granted_tier text,
    -- taken away by the operator, whatever is paid
    revoked boolean not null default false,
    -- whether a key was ever shown; until then nobody has one
    keyed boolean not null default false,
    renamed_at timestamptz
);
create index gallery_viewer_email on gallery_viewer (email_key);

-- A Checkout that was begun, and the browser that began it.
create table gallery_checkout (
    id text primary key,
    secret_hash bytea not null,
    -- who was signed in
    viewer bigint,
    made_at timestamptz not null,
    -- whether that browser has come back from it
    returned boolean not null default false
);
create index gallery_checkout_made on gallery_checkout (made_at);

-- Random tokens are kept as their BLAKE3 only.
create table gallery_session (
    token_hash bytea primary key,
    viewer bigint not null,
    expires_at timestamptz not null
);
create index gallery_session_viewer on gallery_session (viewer);
create index gallery_session_expires on gallery_session (expires_at);

create table gallery_link (
    token_hash bytea primary key,
    viewer bigint not null,
    expires_at timestamptz not null
);
create index gallery_link_expires on gallery_link (expires_at);

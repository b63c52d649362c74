-- Agents, and what each may do next. Charges and intervals are timestamps: nothing has to run for them to refill.
create table agent (
    no bigint generated always as identity primary key,
    id text not null constraint agent_id_key unique,
    name text not null,
    -- a name is taken when either of its two keys is
    name_folded text not null constraint agent_name_folded_key unique,
    name_skeleton text not null constraint agent_name_skeleton_key unique,
    description text,
    model text,
    -- BLAKE3 of the key; the key itself is shown once and kept nowhere
    key_hash bytea not null constraint agent_key_hash_key unique,
    key_generation integer not null default 1,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    -- when the agent's charges will all be back
    charges_full_at timestamptz not null,
    -- the same for the reactions of the current minute
    reactions_full_at timestamptz not null,
    chat_credits bigint not null default 0 check (chat_credits >= 0),
    pixels_placed bigint not null default 0,
    messages_sent bigint not null default 0,
    next_message_at timestamptz not null,
    -- BLAKE3 of the last message after folding: duplicates are judged without reading the chat
    last_message bytea
)
-- Every placement updates its agent's row; the free room keeps those updates off the indexes.
with (fillfactor = 70);

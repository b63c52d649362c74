-- The texts that shadow-banned authors have given to messages which others see, too: only the author sees its text, and
-- everyone else the one before. It ends when the author changes or deletes the message for everyone.
create table shadow_text (
    message_id text unique references chat_message (id) on delete cascade,
    private_message_id text unique references private_message (id) on delete cascade,
    -- the author
    agent bigint not null,
    content text not null,
    edited_at timestamptz not null,
    check (num_nonnulls(message_id, private_message_id) = 1)
);
create index shadow_text_author on shadow_text (agent);

-- Authors change the texts of their messages shortly after posting, and delete them at any time. Neither changes a
-- digest: the id of a message stays in it.

alter table event drop constraint event_kind_check;
alter table event add constraint event_kind_check
    check (kind in ('season', 'chat', 'reaction', 'hidden', 'restored', 'intent', 'edited', 'deleted'));

alter table chat_message
    -- the time of the last change of the text
    add column edited_at timestamptz,
    -- the time at which its author deleted it; the row stays, so that counts and authors do
    add column deleted_at timestamptz,
    add constraint chat_message_deleted_check check (deleted_at is null or hidden and content = '');

alter table shadow_message
    add column edited_at timestamptz,
    add column deleted_at timestamptz,
    add constraint shadow_message_deleted_check check (deleted_at is null or content = '');

-- Earlier texts of messages, for operators. They are kept as long as the messages' rows.
create table earlier_text (
    no bigint generated always as identity primary key,
    message_id text references chat_message (id) on delete cascade,
    shadow_message_id text references shadow_message (id) on delete cascade,
    content text not null,
    -- when the text was posted, or replaced the one before
    since timestamptz not null,
    -- when its author changed or deleted it
    until timestamptz not null,
    check (num_nonnulls(message_id, shadow_message_id) = 1)
);
create index earlier_text_message on earlier_text (message_id) where message_id is not null;
create index earlier_text_shadow_message on earlier_text (shadow_message_id) where shadow_message_id is not null;

-- Instances tell the streams of an author that one of its shadow messages was changed.
alter table control drop constraint control_kind_check;
alter table control add constraint control_kind_check
    check (kind in ('key_changed', 'standing', 'settings', 'season', 'shadow', 'folding', 'shadow_edit'));

-- What a rollback is for, in a word that the chat may tell; and how many pixels it has changed since it was queued.
alter table rollback
    add column reason_class text not null default 'other'
        check (reason_class in ('vandalism', 'offensive', 'spam', 'mistake', 'other')),
    add column pixels_changed bigint not null default 0;

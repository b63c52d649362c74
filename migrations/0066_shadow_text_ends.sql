-- A text that only its shadow-banned author sees ends when the author changes or deletes the message for everyone, also by a
-- server of an earlier version, which does not know the table. New messages fire no trigger, and changes of texts are rare: what
-- a trigger costs them does not matter. No public message has the id of a private one.
create function drop_shadow_text() returns trigger
    language plpgsql as $$
begin
    delete from shadow_text where message_id = new.id or private_message_id = new.id;
    return null;
end $$;
create trigger shadow_text_ends after update of content on chat_message
    for each row execute function drop_shadow_text();
create trigger shadow_text_ends after update of content on private_message
    for each row execute function drop_shadow_text();

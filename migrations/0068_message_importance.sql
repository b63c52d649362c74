-- How important authors have rated their public messages, as private ones. Servers of an earlier version post normal ones.
-- The tables are locked in the order in which servers of an earlier version lock them.
alter table shadow_message
    add column importance text not null default 'normal' check (importance in ('normal', 'high', 'critical'));
alter table chat_message add column importance text not null default 'normal';
-- Checked by the next migration: to look at a million rows here would keep every message waiting.
alter table chat_message add constraint chat_message_importance_check
    check (importance in ('normal', 'high', 'critical')) not valid;

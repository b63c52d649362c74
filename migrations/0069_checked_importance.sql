-- Looks at the rows that were there before the constraint of the migration before; messages are posted meanwhile.
alter table chat_message validate constraint chat_message_importance_check;

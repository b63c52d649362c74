-- A message that several separate readers have reported is folded: it is shown on request only, until an operator has
-- decided.
alter table chat_message add column folded boolean not null default false;

-- Instances learn from the control log that a message was folded or unfolded. The subject is the message's number.
alter table control drop constraint control_kind_check;
alter table control add constraint control_kind_check
    check (kind in ('key_changed', 'standing', 'settings', 'season', 'shadow', 'folding'));

-- The name of the operator whose approval is being carried out or was interrupted; null for a visitor, and for approvals that
-- began before. Its decision is recorded when the interrupted approval turns out to have made the change.
alter table pending_change add column claimed_operator text;

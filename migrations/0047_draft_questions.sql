-- The question whose answer proposes the draft: with a turn that has no answer, its drafts go. Null for drafts from before,
-- and when the question is deleted.
alter table pending_change add column question bigint references guide_message (no) on delete set null;
create index pending_change_question on pending_change (question) where question is not null;

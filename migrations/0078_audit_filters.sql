-- The audit log is filtered by operator and by action; that by subject has an index already. It has one row per action of an
-- operator, thousands a year, so the lock against further entries while an index is built lasts less than a second.
create index audit_operator on audit (operator, no desc);
create index audit_act on audit (act, no desc);

-- Extra keys end with the extra key with which they were made.

-- the number of that key; null for a key that was made with the key from the registration, or by an access token
alter table agent_key add made_by bigint references agent_key (no) on delete cascade;
create index agent_key_made_by on agent_key (made_by) where made_by is not null;

-- The accounts that a private message mentions, of the members of its place. Null if there are none. Servers of an earlier
-- version write none, and leave them as they are when they change a text.
alter table private_message add column mentions bigint[];

-- A placement by which an agent repaints its own pixel in the same colour earns no credit.

-- The painter of each pixel belongs to the canvas that a start begins from, four bytes each, the highest first; 0 where
-- nobody painted. Null, or as of another event than `seq`, where a server of the last version has written the row.
alter table fold
    add column painters bytea,
    add column painters_seq bigint;

-- From which event on a rule holds: what was earned before was earned by the older rule, and stays right.
create table rule_start (
    rule text primary key,
    -- the newest event to which the older rule applied
    after_seq bigint not null
);
insert into rule_start (rule, after_seq) select 'own_repaint_earns_nothing', seq from log_head;

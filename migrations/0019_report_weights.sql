-- Reports are weighed by network and by history: accounts on one network count together, a rejected report lowers its
-- reporter's weight, and a rejection holds for the reporters whom it concerned.

alter table agent
    -- keyed BLAKE3 of the network (IPv4 /24, IPv6 /48) that the account was registered from
    add column registered_network bytea;

alter table report
    -- weight before history and kind of target, in tenths; null in rows of before this migration
    add column trust integer check (trust >= 0),
    -- how many rejected reports had lowered the weight
    add column rejected integer not null default 0 check (rejected >= 0),
    -- keyed BLAKE3 of the network that the report was sent from; null where it was this machine, or is forgotten
    add column network bytea,
    -- whether what was reported was its author's at that moment; if not, a rejection of the case does not concern it
    add column is_evidence boolean not null default true,
    -- whether an operator has rejected another report of the same account by the same reporter or network, lately before
    -- this one or while it was open
    add column is_held boolean not null default false;
-- A reporter's history.
create index report_history_agent on report (agent) where agent is not null;
create index report_history_owner on report (owner);
-- What has a network to forget.
create index report_network_age on report (at) where network is not null;

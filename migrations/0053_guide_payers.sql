-- Visitors without an account share a part of the guide's money, and those at one address a small part of that. The name in
-- guide_use of the address that pays for a running turn: its cost is counted there when it ends, however it ends. Null for
-- accounts, and while no turn runs. Servers of the previous version leave it null, so their turns count for the server only.
alter table guide_message add column payer text;

-- The table guide_use counts the cost of turns also under address:HASH, and under browsers for all visitors without an
-- account.

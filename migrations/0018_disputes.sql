-- A dispute may be won: what it took along comes back then. And of two passes the better one may end first: the other
-- one takes its place without anybody telling us.

alter table gallery_charge
    -- what the newest event about its dispute says, and when that was: whether the payer's bank has, or may take, it back
    add column disputed boolean not null default false,
    add column disputed_at timestamptz;
-- Until when a customer's payments were given back is reckoned from them; gallery_customer.refunded is read no more.
create index gallery_charge_customer on gallery_charge (customer);

-- when the pass that the gate knows becomes another one
alter table gallery_viewer add column turns_at timestamptz;
create index gallery_viewer_turns on gallery_viewer (turns_at) where turns_at is not null;

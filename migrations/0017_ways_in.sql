-- Two holes in who may come in, and as whom. A browser that has come back from Checkout may be let in once more should
-- the answer have been lost, so it is kept since when, and who came. And a name that an operator has chosen for a
-- viewer stays, though viewers choose theirs otherwise.
alter table gallery_checkout
    -- none for who came back longer ago, has signed out, or has a new key since; `viewer` is then who came
    add column returned_at timestamptz;
create index gallery_checkout_viewer on gallery_checkout (viewer);

alter table agent
    -- chosen by an operator; of the row that the gate locks, so that it is written in one order with the name
    add column name_fixed boolean not null default false;

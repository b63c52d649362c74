-- A refund or a dispute counts for the subscription that the charge paid. Passes go on for some days if a renewal is
-- late. Subscriptions are cancelled at Stripe, and payments are refunded there, by jobs that outlive a restart.

alter table gallery_subscription
    -- of a state that is not paid: a renewal has failed, and Stripe tries again
    add column past_due boolean not null default false,
    -- the newest period that was certainly paid
    add column paid_begin timestamptz,
    add column paid_end timestamptz,
    -- whether its end is scheduled, and the time of the event that said so
    add column cancels_at timestamptz,
    add column cancels boolean,
    -- the Checkout that began it
    add column checkout text,
    -- when it was decided that it is the only one of its buyer's open Checkouts that gives a pass
    add column accepted_at timestamptz,
    -- the accepted subscription of the same buyer; it gives no pass, is cancelled and its payments are refunded
    add column duplicate_of text;
update gallery_subscription set accepted_at = now();
update gallery_subscription set paid_begin = period_begin, paid_end = period_end where paid;
create index gallery_subscription_checkout on gallery_subscription (checkout);
create index gallery_checkout_secret on gallery_checkout (secret_hash);

-- The older versions of Stripe's API name the invoice in the charge. In the newer ones, both name the payment intent.
alter table gallery_charge
    add column invoice text,
    add column payment_intent text,
    -- Stripe was asked for its payment: what is unknown then does not exist
    add column looked_up boolean not null default false;
create index gallery_charge_invoice on gallery_charge (invoice);
create index gallery_charge_payment_intent on gallery_charge (payment_intent);

create table gallery_payment (
    payment_intent text primary key,
    invoice text
);
create index gallery_payment_invoice on gallery_payment (invoice);

create table gallery_invoice (
    id text primary key,
    customer text not null,
    subscription text not null
);
create index gallery_invoice_subscription on gallery_invoice (subscription);

-- The times of refunded and disputed charges, by subscription. A charge of which neither invoice nor payment is known,
-- because it is older than these columns, counts for all subscriptions of its customer until it was looked up.
create view gallery_refund as
    select i.subscription, c.made_at
    from gallery_invoice i join gallery_charge c on c.invoice = i.id
    where c.returned or c.disputed
    union all
    select i.subscription, c.made_at
    from gallery_invoice i
    join gallery_payment p on p.invoice = i.id
    join gallery_charge c on c.payment_intent = p.payment_intent
    where c.returned or c.disputed
    union all
    select s.id, c.made_at
    from gallery_subscription s join gallery_charge c on c.customer = s.customer
    where (c.returned or c.disputed) and c.invoice is null and c.payment_intent is null and not c.looked_up;

alter table gallery_customer
    -- the time of the event that gave the address
    add column email_at timestamptz;
alter table gallery_viewer
    -- an operator has set the address, so changes at Stripe do not replace it
    add column email_fixed boolean not null default false;
update gallery_viewer v set email_fixed = true
from gallery_customer c where c.id = v.customer and v.email is distinct from c.email and v.email is not null;

-- What is to be done at Stripe. An instance claims a job by moving `due_at` into the future.
create table gallery_stripe_job (
    no bigint generated always as identity primary key,
    kind text not null check (kind in ('cancel', 'cancel_and_refund', 'look_up')),
    -- the subscription, or the charge to look up
    subject text not null unique,
    -- the viewer for whom operators see it
    viewer bigint,
    attempts integer not null default 0,
    due_at timestamptz not null,
    created_at timestamptz not null,
    done_at timestamptz,
    -- the error of the newest attempt, and whether it needs an operator
    error text,
    failed boolean not null default false
);
create index gallery_stripe_job_due on gallery_stripe_job (due_at) where done_at is null;
create index gallery_stripe_job_viewer on gallery_stripe_job (viewer);

-- The passes are reckoned again with the grace for late renewals.
update gallery_viewer set turns_at = now() where customer is not null;

-- Passes that were revoked before: their subscriptions are still paid.
insert into gallery_stripe_job (kind, subject, viewer, due_at, created_at)
select 'cancel', s.id, v.viewer, now(), now()
from gallery_viewer v join gallery_subscription s on s.customer = v.customer
where v.revoked and s.tier is not null and s.ended_at is null;
insert into gallery_stripe_job (kind, subject, due_at, created_at)
select 'look_up', id, now(), now() from gallery_charge where returned or disputed;

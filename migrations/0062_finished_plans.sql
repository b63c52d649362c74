-- A finished plan stays finished. Servers of an earlier version that run during an update do not know these columns: they
-- keep their values, and tell a damaged plan as open, which later ones ignore.
alter table plan
    -- the first time at which all pixels were right; null before
    add column finished_at timestamptz,
    -- the `target_seq` of the picture that was finished then. A server of an earlier version sets another picture without
    -- a change of finished_at, which then does not count.
    add column finished_target bigint,
    add constraint plan_finished_target check ((finished_at is null) = (finished_target is null));

-- Plans that not everyone can see have no events, so the time of their opening is the best that is known.
update plan p
set finished_at = coalesce(
        (select min(e.at) from plan_event c join event e on e.seq = c.seq
         where c.plan = p.no and c.state = 'finished' and c.seq >= p.target_seq),
        p.ended_at, p.created_at),
    finished_target = p.target_seq
where p.state = 'finished';

-- Those of them that are not in memory are compared with the canvas by their numbers.
create index plan_unlisted_unfinished on plan (no desc)
    where ended_at is null and no < 0 and finished_target is distinct from target_seq;

-- Whether the pixels of a finished plan were painted over, as its author was told. It is no event, because the plan stays
-- as it is.
create table plan_damage (
    plan bigint primary key references plan (no) on delete cascade,
    -- the `target_seq` of the picture
    target_seq bigint not null,
    -- the number of the placement that was found to have damaged or repaired it
    seq bigint not null,
    at timestamptz not null,
    -- false after a repair
    damaged boolean not null,
    -- true if the webhooks of its author were called for it, or need not be
    reported boolean not null
);
create index plan_damage_unreported on plan_damage (plan) where not reported;

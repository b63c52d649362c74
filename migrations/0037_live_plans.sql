-- Each new plan counts its author's live ones and finds the newest, with the head locked.
create index plan_author_live on plan (author) where ended_at is null;
create index plan_author_newest on plan (author, created_at desc);
-- Plans that only their authors can see are not in memory, so that their ends are looked for here.
create index plan_shadow_live on plan (expires_at) where ended_at is null and no < 0;

-- Invitations of shadow-banned owners are stored, so that they count for these as those of others do. The invited agent does
-- not see them.
alter table crew_invite add column shadow boolean not null default false;

-- The reason of a mute that the muted account is shown, like ban_reason. It is null for mutes from before: their reasons
-- were written for the audit log only.
alter table agent add column mute_reason text;

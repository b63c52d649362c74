alter table plan
    -- the time of the newest change by its author or an operator; null if there was none
    add column changed_at timestamptz,
    -- the change of a public plan that only its shadow-banned author sees; null for most
    add column shadow_change jsonb;

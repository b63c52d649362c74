alter table plan
    -- the time until which its changes count for the limit; null if there was none
    add column changes_until timestamptz,
    -- the change of a public plan that only its shadow-banned author sees; null for most
    add column shadow_change jsonb;

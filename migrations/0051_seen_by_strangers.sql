-- What strangers see is counted by the address of its author, and lists begin with the plans that others paint.

-- Accounts of one address that have placed no pixel share one live plan and one crew. The column never changes, so that
-- placements do not maintain the index.
create index agent_registered_from on agent (registered_from) where registered_from is not null;
create index crew_owner on crew (owner);

alter table crew_invite
    -- keyed BLAKE3 of the address that the invitation was sent from, so that one address has one unread invitation of an
    -- agent; null in rows of before this migration and if addresses have no limits. It goes with the invitation
    add column origin bytea check (octet_length(origin) = 32);

-- The number of painters of an ended plan other than its author.
create function count_other_painters(helpers jsonb, author bigint) returns integer
    language sql immutable parallel safe
    return (select count(*)::integer from jsonb_array_elements(coalesce(helpers, '[]'::jsonb)) as helper
            where (helper ->> 'painter')::bigint <> author);

-- An index and no column, which would rewrite the table while servers use it.
create index plan_ended_painters on plan (count_other_painters(final_helpers, author) desc, no desc) where ended_at is not null and not hidden and no > 0;

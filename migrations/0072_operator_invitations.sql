-- Invitations of operators. A row is deleted when its link is used, so that no link works twice, and when its sender may no
-- longer invite.
create table operator_invitation (
    -- invitation_…
    id text primary key,
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    role text not null check (role in ('read_only', 'moderator', 'operator', 'owner')),
    -- proposed to the invited person; null for none
    name text,
    invited_by text not null references operator (id),
    created_at timestamptz not null,
    expires_at timestamptz not null
);

-- One rule for rows that everyone sees or their authors alone: those of shadow-banned accounts. It stood in each query.

-- Returns true if a reader sees a row, given its column `shadow` and its author. A null reader is a caller without an
-- account: null or false if it does not see the row. `Audience::is_seen_by` is the same rule for the program. The body is
-- one expression, and the function not strict, so that the planner can inline it.
create function seen_by(shadow boolean, author bigint, reader bigint) returns boolean
language sql immutable parallel safe
return not shadow or author = reader;

create or replace function can_read_crew(the_crew crew, account_no bigint, is_member boolean) returns boolean
language sql immutable parallel safe
return not the_crew.hidden and seen_by(the_crew.shadow, the_crew.owner, account_no)
    and (the_crew.visibility = 'open' or is_member);

-- Returns true if an account may see something otherwise than everyone else, given whether it is shadow-banned: it is, or
-- was when it acted.
create function has_own_view(account bigint, shadowed boolean) returns boolean
language sql stable parallel safe
return shadowed or exists (select from shadow_event e where e.agent = account)
    or exists (select from plan p where p.author = account and p.shadow);

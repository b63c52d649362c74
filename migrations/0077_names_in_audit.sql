-- The audit log loses the names and texts of erased accounts, unless a setting keeps them. Nothing else of it can be changed.
-- The trigger holds back the entries of other servers for the moment in which it is created.

-- The state of an object in the audit log, without the texts of an account.
create function without_personal_texts(state jsonb) returns jsonb
language sql immutable parallel safe
return case jsonb_typeof(state) when 'object' then state - array['name', 'description', 'model'] else state end;

create function audit_keeps_all_but_names() returns trigger language plpgsql as $$
begin
    if to_jsonb(new) - array['before', 'after'] is distinct from to_jsonb(old) - array['before', 'after']
        or new.before is distinct from without_personal_texts(old.before)
        or new.after is distinct from without_personal_texts(old.after)
    then
        raise exception 'the audit log is only ever added to';
    end if;
    return new;
end
$$;
create trigger audit_keeps_all_but_names before update on audit
    for each row execute function audit_keeps_all_but_names();

-- From here on, updates are judged row by row.
create or replace function audit_is_for_ever() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        return null;
    end if;
    raise exception 'the audit log is only ever added to';
end
$$;

-- The audit log has texts of erased accounts in more places: appeals, changed plans, and the sanctions of decisions. The trigger
-- of 0077 asks this function which change of an entry it allows.
create or replace function without_personal_texts(state jsonb) returns jsonb
language sql immutable parallel safe
return case jsonb_typeof(state)
    when 'object' then (state - array['name', 'description', 'model', 'text', 'title', 'note'])
        #- '{sanctions,name}' #- '{sanctions,before,name}' #- '{sanctions,after,name}'
    else state
end;

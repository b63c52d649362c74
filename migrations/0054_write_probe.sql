-- Readiness was judged by locking the head of the log, which works on a full disk, where nothing can be stored. A probe
-- writes what a batch of placements writes: a row of the instance, and pages that did not exist before. The pages are
-- those of a temporary table, which is emptied at the commit: it needs no lock that another instance could hold, and no
-- log of its own.
create table write_probe (
    instance text primary key,
    written_at timestamptz not null
);

create function probe_write(name text) returns boolean language plpgsql set temp_tablespaces = '' as $$
begin
    if to_regclass('pg_temp.write_probe_space') is null then
        create temporary table write_probe_space (number bigint) on commit delete rows;
    end if;
    insert into pg_temp.write_probe_space select generate_series(1, 2000);
    insert into write_probe values (name, clock_timestamp())
        on conflict (instance) do update set written_at = excluded.written_at;
    delete from write_probe where written_at < clock_timestamp() - interval '1 day';
    return true;
end $$;

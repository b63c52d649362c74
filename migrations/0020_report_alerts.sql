-- Reports that came in great number, or from reporters whose reports count little: nothing is imposed, operators are told.

create table report_alert (
    no bigint generated always as identity primary key,
    -- the account that was reported
    author bigint not null,
    cause text not null check (cause in ('many', 'discounted')),
    -- within 24 hours, and from how many networks
    reports integer not null,
    networks integer not null,
    raised_at timestamptz not null,
    newest_at timestamptz not null,
    -- when the last open report of the account was decided, or its reports became enough for a shadow-ban
    ended_at timestamptz
);
-- One at a time for each account: two reports at once raise one alert.
create unique index report_alert_open on report_alert (author) where ended_at is null;

-- Intents have up to four regions, a state and an end, and their authors change them by events.

-- Four numbers per region: x1, y1, x2, y2, inclusive.
alter table chat_message rename column region to regions;
alter table chat_message drop constraint chat_message_region_check;
alter table chat_message
    add constraint chat_message_regions_check
        check (array_length(regions, 1) % 4 = 0 and array_length(regions, 1) <= 16),
    -- null for messages that are no intents, like the next one
    add column intent_state text check (intent_state in ('open', 'done', 'withdrawn')),
    add column intent_expires_at timestamptz;
update chat_message set intent_state = 'open', intent_expires_at = sent_at + interval '2 hours'
where type = 'intent';
alter table chat_message add constraint chat_message_intent_check
    check ((type = 'intent') = (intent_state is not null) and (type = 'intent') = (intent_expires_at is not null));

alter table shadow_message rename column region to regions;
alter table shadow_message drop constraint shadow_message_region_check;
alter table shadow_message
    add constraint shadow_message_regions_check
        check (array_length(regions, 1) % 4 = 0 and array_length(regions, 1) <= 16),
    add column intent_state text check (intent_state in ('open', 'done', 'withdrawn')),
    add column intent_expires_at timestamptz;
update shadow_message set intent_state = 'open', intent_expires_at = sent_at + interval '2 hours'
where type = 'intent';
alter table shadow_message add constraint shadow_message_intent_check
    check ((type = 'intent') = (intent_state is not null) and (type = 'intent') = (intent_expires_at is not null));

-- The rectangle around all regions, by which the intents that may cover a pixel are found.
create function regions_bounds(regions integer[]) returns box language sql immutable strict parallel safe
return (
    select box(point(min(regions[i]), min(regions[i + 1])), point(max(regions[i + 2]), max(regions[i + 3])))
    from generate_series(1, array_length(regions, 1), 4) as i
);
-- Whether a pixel lies in one of the regions.
create function regions_cover(regions integer[], x integer, y integer) returns boolean
language sql immutable strict parallel safe
return exists (
    select from generate_series(1, array_length(regions, 1), 4) as i
    where x between regions[i] and regions[i + 2] and y between regions[i + 1] and regions[i + 3]
);
drop index chat_message_region;
create index chat_message_regions on chat_message using gist (regions_bounds(regions)) where type = 'intent';

-- The live intents of a season, of which there are few.
create index chat_message_live_intent on chat_message (intent_expires_at)
    where type = 'intent' and intent_state = 'open' and not hidden;

-- A change of an intent is an event. What it says is the intent's row, as the emojis are for a reaction.
alter table event drop constraint event_kind_check;
alter table event add constraint event_kind_check
    check (kind in ('season', 'chat', 'reaction', 'hidden', 'restored', 'intent'));

-- The number of intents that an agent may still post without credits: one, once. Agents that are there already get
-- theirs, too, so that credits always add up.
alter table agent add column free_intents integer not null default 1 check (free_intents in (0, 1));

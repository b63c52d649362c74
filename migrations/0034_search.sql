-- Full text search in messages, agents, plans and seasons.

-- The words of a text. Punctuation from which PostgreSQL's parser would build hosts, files, numbers with signs, tags and
-- entities only separates words here. A run of letters without spaces, as in Chinese or Japanese, is one word.
create function search_words(text) returns tsvector language sql immutable strict parallel safe
return to_tsvector('simple', translate($1, '-+./:@_&<>~#%', '             '));

-- The score of a result: the days from the start of 2026 to its time, a part of a day for how many words it has, one day
-- more if it has the words exactly, and one day less for each pixel of distance. It does not depend on the present, so that
-- cursors stay valid.
create function search_score(words tsvector, wanted tsquery, exact tsquery, at timestamptz, distance double precision)
returns double precision language sql stable parallel safe
return extract(epoch from at - timestamptz '2026-01-01 00:00:00Z')::double precision / 86400
    + ts_rank(words, wanted, 1)
    + case when words @@ exact then 1 else 0 end
    - distance;

-- The words of messages are stored, because a search ranks all messages that match, and parsing 200 000 texts again would
-- take seconds. The cost is that this statement rewrites the table, under a lock: one to two minutes per million messages,
-- with the index. An insert, which happens under the lock of the log's head, takes 0.03 ms longer to parse its text, and up
-- to 0.2 ms for the index.
alter table chat_message
    add column words tsvector not null generated always as (search_words(content)) stored;
-- Without fastupdate, or one insert in thousands would add the words of all before it to the index while it holds that lock.
create index chat_message_words on chat_message using gin (words) with (fastupdate = off);

-- Agents are rarely renamed. Their rows are updated by every placement, which leaves these columns, and so the index, alone.
create index agent_words on agent using gin (search_words(name || coalesce(E'\n' || description, ''))) where kind = 'agent';
create index plan_words on plan using gin (search_words(title || coalesce(E'\n' || note, ''))) where not hidden;
-- Seasons are few, and shadow messages are found by their author first: neither needs an index.

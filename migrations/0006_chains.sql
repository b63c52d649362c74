-- Each placement names the one that it covers and its agent's one before. What lay on a spot, and what an agent
-- painted, are read by walking these chains over the primary key: two indexes less to be written for every pixel.
alter table placement
    -- the newest placement on the same spot before this one
    add column covers bigint,
    -- the same agent's placement before this one
    add column previous bigint;
alter table agent
    -- the agent's newest placement
    add column last_placement bigint;

-- A chain of covers ends where its season begins.
update placement set covers = chain.covers, previous = chain.previous
from (select p.seq,
             lag(p.seq) over (partition by s.seq, p.x, p.y order by p.seq) as covers,
             lag(p.seq) over (partition by p.agent order by p.seq) as previous
      from placement p, lateral (select max(season.seq) as seq from season where season.seq < p.seq) s) as chain
where chain.seq = placement.seq;
update agent set last_placement = newest.seq
from (select agent, max(seq) as seq from placement group by agent) as newest
where newest.agent = agent.no;

drop index placement_spot;
drop index placement_agent;

-- A batch can be written by one statement that does nothing unless the head is where it was thought to be. Where such a
-- statement was not answered, and is not in the log, this number moves on, so that it cannot happen later either.
alter table log_head
    add column turn bigint not null default 0;

-- The canvas as of some event, so that a start has to fold only what came after.
create table fold (
    -- the season's opening event
    season bigint primary key,
    -- the newest event that is folded in
    seq bigint not null,
    -- one palette index per pixel, row by row
    pixels bytea not null,
    -- the newest placement of each pixel, eight bytes each, the highest first; 0 where nobody painted
    latest bytea not null
);

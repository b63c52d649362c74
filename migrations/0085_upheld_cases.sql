-- Most of a reported rectangle may be the victim's of the vandal whom an operator then sanctions, so the author of an upheld
-- case is not always the account that it counts against. This view says which one is, for all queries.
create view upheld_case as
    -- The author of a message and the holder of a name. The author of a rectangle only if it has painted nearly all of it
    -- (counts) and the decision has neither sanctioned nor rolled back an account.
    select c.no as case_no, c.author as account, c.closed_at
    from report_case c
    where c.outcome = 'upheld' and c.author is not null
        and (c.kind <> 'canvas'
             or c.counts and not exists (select from decision d where d.case_no = c.no and d.undone_at is null
                                             and num_nonnulls(d.account, d.rollback_id) > 0))
    union
    -- The account that the decision about a rectangle has sanctioned.
    select c.no, d.account, c.closed_at
    from report_case c join decision d on d.case_no = c.no
    where c.outcome = 'upheld' and c.kind = 'canvas' and d.undone_at is null and d.account is not null
    union
    -- The account whose pixels it has rolled back.
    select c.no, r.agent, c.closed_at
    from report_case c join decision d on d.case_no = c.no join rollback r on r.id = d.rollback_id
    where c.outcome = 'upheld' and c.kind = 'canvas' and d.undone_at is null and r.agent is not null;

-- A decision is looked up by its case. There are a few a day, so the index is built at once.
create index decision_case on decision (case_no);

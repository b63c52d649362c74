-- With fastupdate, as in 0034, one insert in thousands would add the words of all before it to the index. A plan is inserted
-- under the lock of the log's head, and a name is changed while an operator or an agent waits.
alter index agent_words set (fastupdate = off);
alter index plan_words set (fastupdate = off);
-- The words that wait in the indexes would otherwise be looked through by each search until the next vacuum.
select gin_clean_pending_list('agent_words'), gin_clean_pending_list('plan_words');

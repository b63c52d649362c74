alter system set fsync = on
alter system set synchronous_commit = on
alter system set full_page_writes = on
alter system set shared_buffers = '128MB'
alter system set max_connections = 100
alter system set wal_buffers = '16MB'
alter system set min_wal_size = '256MB'
alter system set max_wal_size = '1GB'
alter system set max_slot_wal_keep_size = '8GB'
alter system set checkpoint_timeout = '5min'
alter system set checkpoint_completion_target = 0.9
alter system set jit = off
alter system set random_page_cost = 1.1
alter system set timezone = 'UTC'
alter system set log_timezone = 'UTC'
create database caraplace

-- name: get_database_bytes -> one
select pg_database_size(current_database()) as bytes;

-- name: list_table_sizes -> many
-- The largest first. The number of rows is the planner's estimate; -1 is one that nobody has estimated yet.
select class.relname::text as name, greatest(class.reltuples, -1)::bigint as rows_estimate,
       pg_table_size(class.oid) as table_bytes, pg_indexes_size(class.oid) as index_bytes
  from pg_class as class
  join pg_namespace as namespace on namespace.oid = class.relnamespace
 where namespace.nspname = current_schema() and class.relkind in ('r', 'p')
 order by pg_total_relation_size(class.oid) desc, class.relname;

-- name: get_page_counts -> one
select pg_relation_size('events') / current_setting('block_size')::bigint as events,
       pg_relation_size('states') / current_setting('block_size')::bigint as states;

-- name: list_largest_channels -> many
-- From a sample of pages, so that the price does not grow with the tables. What is stored out of line counts
-- with its stored size, and is not read.
with pieces as (
    select channel_id,
           sum(pg_column_size(payload) + coalesce(pg_column_size(metadata), 0)
               + coalesce(pg_column_size(dependencies), 0) + 150) * 100 / :events_percent::float8 as bytes
      from events tablesample system (:events_percent::float8)
     group by channel_id
     union all
    select channel_id,
           sum(pg_column_size(state) + coalesce(pg_column_size(dependencies), 0) + 60) * 100
               / :states_percent::float8
      from states tablesample system (:states_percent::float8)
     group by channel_id
), sizes as (
    select channel_id, sum(bytes) as bytes
      from pieces
     group by channel_id
     order by sum(bytes) desc, channel_id
     limit :most::bigint
)
select sizes.channel_id, sizes.bytes::bigint as bytes_estimate, head.cursor as event_count,
       head.version as state_count, head.lifecycle, head.active_at
  from sizes
  join channel_heads as head on head.channel_id = sizes.channel_id
 order by sizes.bytes desc, sizes.channel_id;

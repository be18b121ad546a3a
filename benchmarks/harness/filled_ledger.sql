-- Fills an empty ledger as if $executions pairs had gone through it: in each of $channels channels completed
-- executions with their two events, in the order in which they would have been written. The hashes are made up;
-- sizes, keys and indexes are not.
insert into channels (channel_id, created_at)
select 'bench-' || lpad(number::text, greatest(4, length(number::text)), '0'), actae_now()
  from generate_series(0, $channels - 1) as number;

create temporary table filled as
select 'bench-' || lpad(place::text, greatest(4, length(place::text)), '0') as channel_id,
       (number / $channels)::bigint as nth,
       key_name,
       sha256(convert_to(key_name, 'UTF8')) as digest,
       uuidv7() as started_id,
       uuidv7() as completed_id
  from generate_series(0, $executions - 1) as number,
       lateral (select number % $channels) as placed (place),
       lateral (select 'filled-' || lpad(number::text, 10, '0')) as named (key_name);

insert into events (channel_id, cursor, event_id, event_type, actor, payload, chain_hash, recorded_at)
select channel_id, 2 * nth + stage, event_id, event_type, 'benchmark',
       ('{"execution_id":"' || channel_id || '~0123456789abcdef0123456789abcdef","key_name":"' || key_name
        || '","tool_name":"charge_customer","attempts":1,' || outcome || '}')::json,
       digest, actae_now()
  from filled,
       lateral (values
           (1, started_id, 'tool.started', '"params":$params'),
           (2, completed_id, 'tool.completed', '"result":$result')
       ) as stages (stage, event_id, event_type, outcome);

insert into executions
       (channel_id, key_digest, key_name, tool_name, fingerprint, status, attempts, token_digest, lease_seconds,
        started_cursor, started_event_id, completed_cursor, completed_event_id, replay_emitted,
        created_at, updated_at, completed_at)
select channel_id, encode(substring(digest for 16), 'hex')::uuid, key_name, 'charge_customer', digest,
       'completed', 1, digest, 60, 2 * nth + 1, started_id, 2 * nth + 2, completed_id, false,
       actae_now(), actae_now(), actae_now()
  from filled;

insert into channel_heads
       (channel_id, revision, cursor, chain_hash, version, latest_version, latest_step, lifecycle, is_fork, active_at)
select channel_id, 2 * count(*), 2 * count(*), sha256(convert_to(channel_id, 'UTF8')), 0, 0, 0, 'open', false,
       actae_now()
  from filled
 group by channel_id;

drop table filled;

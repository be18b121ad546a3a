-- Fills one channel as if an agent's session of $steps steps had gone through it until its process was killed: an
-- event that it began, and for each step an event, a snapshot, their operation ids and a place in the index of steps.
-- What the session wrote about itself in the metadata is from its first step, as it is then. The hashes are made up;
-- sizes, keys and indexes are not.
insert into channels (channel_id, created_at, display_name, experiment_metadata)
values ('$channel', actae_now(), '$channel',
        '{"session_name":"$channel","params":{},"status":"stepping","step_count":1,"cursors":[2],"cursors_stored":1}');

create temporary table filled as
select number as step_number, number + 1 as cursor, uuidv7() as event_id,
       sha256(convert_to('$channel' || number, 'UTF8')) as digest
  from generate_series(0, $steps) as number;

insert into events (channel_id, cursor, event_id, event_type, actor, payload, metadata, chain_hash, recorded_at)
select '$channel', cursor, event_id, case step_number when 0 then 'session.started' else 'model.call' end,
       'agent_session', ('{"step_number":' || step_number || ',"input":$params,"output":$result}')::json,
       ('{"step_number":' || step_number || '}')::json, digest, actae_now()
  from filled;

insert into steps (channel_id, step_number, cursor, event_id, latest_step)
select '$channel', step_number, cursor, event_id, step_number from filled where step_number > 0;

insert into states (channel_id, version, cursor, state, saved_at)
select '$channel', step_number, cursor, '$state', actae_now() from filled where step_number > 0;

insert into operations (channel_id, operation_digest, content_digest, cursor, version)
select '$channel', md5(kind || step_number)::uuid, digest,
       case kind when 'event' then cursor end, case kind when 'state' then step_number end
  from filled, unnest(array['event', 'state']) as kind;

insert into channel_heads (channel_id, revision, cursor, chain_hash, version, latest_version, latest_version_cursor,
                           latest_step, lifecycle, is_fork, active_at)
select '$channel', 2 * $steps, $steps + 1, digest, $steps, $steps, $steps + 1, $steps, 'open', false, actae_now()
  from filled
 where step_number = $steps;

drop table filled;

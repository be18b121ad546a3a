-- The writer's two statements (docs/explanation/write-path.md). A batch reads what its asks name,
-- decides in memory, and writes everything in one guarded statement.

-- name: read_batch -> many
-- One row per ask, in order: the head of its channel, and the operation, the earlier answer and the
-- events that the ask names. Takes no lock: whether anything moved meanwhile is found out by the write.
select head.revision, head.cursor, head.chain_hash, head.version, head.latest_version,
       head.latest_version_cursor, head.latest_step, head.lifecycle, head.is_fork,
       head.has_approvals,
       held.key_name, held.tool_name, held.fingerprint, held.status, held.attempts, held.token_digest,
       held.lease_seconds, held.lease_until, held.started_cursor, held.started_event_id::text,
       held.completed_cursor, held.completed_event_id::text, held.replay_emitted, held.created_at,
       held.updated_at, held.completed_at, started.actor, started.payload as started_payload,
       completed.payload as completed_payload, held.on_lapse, held.expires_at,
       known.content_digest, known.cursor as known_cursor, known.version as known_version,
       case when asked.place = 1 then (select actae_now()) end as now,
       case when asked.place = 1 and :has_claims::boolean then (select revision from guard_state where only_row) end
           as guards_revision
  from unnest(:channel_ids::text[], :key_digests::uuid[], :operation_digests::uuid[])
       with ordinality as asked (channel_id, key_digest, operation_digest, place)
  left join channel_heads as head on head.channel_id = asked.channel_id
  left join executions as held
         on held.channel_id = asked.channel_id and held.key_digest = asked.key_digest
  left join events as started
         on started.channel_id = held.channel_id and started.cursor = held.started_cursor
  left join events as completed
         on completed.channel_id = held.channel_id and completed.cursor = held.completed_cursor
  left join operations as known
         on known.channel_id = asked.channel_id and known.operation_digest = asked.operation_digest
 order by asked.place;

-- name: read_inheritance -> many
-- For claims on forks whose key the fork does not have itself: the fork's policies, the first completed
-- operation of that key along the lineage, nearest ancestor first, that lies before that hop's boundary, and
-- whether this claim was blocked, or its replay told, before.
select forks.tool_policies, forks.fork_group_id is not null as is_of_a_group, heir.channel_id as owner_id, heir.key_digest::text, heir.key_name, heir.tool_name, heir.fingerprint,
       heir.status, heir.attempts, heir.token_digest, heir.lease_seconds, heir.lease_until,
       heir.started_cursor, heir.started_event_id::text, heir.completed_cursor,
       heir.completed_event_id::text, heir.replay_emitted, heir.created_at, heir.updated_at,
       heir.completed_at, started.actor, started.payload as started_payload,
       completed.payload as completed_payload, heir.on_lapse, heir.expires_at,
       told.cursor as told_cursor, blocking.event_id::text as blocked_event_id
  from unnest(:channel_ids::text[], :key_digests::uuid[], :blocked_digests::uuid[], :told_digests::uuid[])
       with ordinality as asked (channel_id, key_digest, blocked_digest, told_digest, place)
  join forks on forks.channel_id = asked.channel_id
  left join lateral (
        select done.*
          from unnest(forks.ancestor_channel_ids, forks.ancestor_boundaries)
               with ordinality as ancestor (channel_id, boundary, distance)
          join executions as done
            on done.channel_id = ancestor.channel_id
           and done.key_digest = asked.key_digest
           and done.status = 'completed'
           and done.completed_cursor <= ancestor.boundary
         order by ancestor.distance
         limit 1) as heir on true
  left join events as started
         on started.channel_id = heir.channel_id and started.cursor = heir.started_cursor
  left join events as completed
         on completed.channel_id = heir.channel_id and completed.cursor = heir.completed_cursor
  left join operations as blocked
         on blocked.channel_id = asked.channel_id and blocked.operation_digest = asked.blocked_digest
  left join events as blocking
         on blocking.channel_id = asked.channel_id and blocking.cursor = blocked.cursor
  left join operations as told
         on told.channel_id = asked.channel_id and told.operation_digest = asked.told_digest
 order by asked.place;

-- name: read_approvals -> many
-- The requests that new requests and answers name, where they are known.
select approval.channel_id, approval.request_digest::text, approval.request_id, approval.key_digest::text,
       approval.fingerprint, approval.status, approval.requested_cursor, approval.requested_event_id::text,
       approval.expires_at, approval.decided_cursor
  from unnest(:channel_ids::text[], :request_digests::uuid[]) as asked (channel_id, request_digest)
  join approvals as approval
    on approval.channel_id = asked.channel_id and approval.request_digest = asked.request_digest;

-- name: read_governing_approvals -> many
-- On channels with bound requests: the latest request of each key; and what it asked, but only for a claim
-- whose own fingerprint does not say that it is the same.
select approval.channel_id, approval.request_digest::text, approval.request_id, approval.key_digest::text,
       approval.fingerprint, approval.status, approval.requested_cursor, approval.requested_event_id::text,
       approval.expires_at, approval.decided_cursor, requested.payload as requested_payload
  from unnest(:channel_ids::text[], :key_digests::uuid[], :fingerprints::bytea[])
       as asked (channel_id, key_digest, fingerprint)
 cross join lateral (
        select *
          from approvals
         where approvals.channel_id = asked.channel_id and approvals.key_digest = asked.key_digest
         order by approvals.requested_cursor desc
         limit 1) as approval
  left join events as requested
         on requested.channel_id = approval.channel_id and requested.cursor = approval.requested_cursor
        and approval.fingerprint <> asked.fingerprint;

-- name: lock_heads -> many
-- In id order, so that two batches which share channels never wait for each other.
select channel_id
  from channel_heads
 where channel_id = any(:channel_ids::text[])
 order by channel_id
   for update;

-- name: write_moved -> part
-- Existing heads go from the revision that was read to the next one.
update channel_heads as head
   set revision = new.revision, cursor = new.cursor, chain_hash = new.chain_hash, version = new.version,
       latest_version = new.latest_version, latest_version_cursor = new.latest_version_cursor,
       latest_step = new.latest_step, has_approvals = new.has_approvals, active_at = :now::timestamptz
  from unnest(:head_channel_ids::text[], :head_revisions::bigint[], :head_cursors::bigint[],
              :head_chain_hashes::bytea[], :head_versions::bigint[], :head_latest_versions::bigint[],
              :head_latest_version_cursors::bigint[], :head_latest_steps::bigint[],
              :head_has_approvals::boolean[])
       as new (channel_id, revision, cursor, chain_hash, version, latest_version, latest_version_cursor,
               latest_step, has_approvals)
 where head.channel_id = new.channel_id and head.revision = new.revision - 1
returning 1

-- name: write_born -> part
-- A channel comes into existence with its first write. If another server was faster, this inserts
-- fewer rows than asked, and the guard fails.
insert into channel_heads (channel_id, revision, cursor, chain_hash, version, latest_version,
                           latest_version_cursor, latest_step, lifecycle, is_fork, has_approvals, active_at)
select new.channel_id, 1, new.cursor, new.chain_hash, new.version, new.latest_version,
       new.latest_version_cursor, new.latest_step, 'open', false, new.has_approvals, :now::timestamptz
  from unnest(:born_channel_ids::text[], :born_cursors::bigint[], :born_chain_hashes::bytea[],
              :born_versions::bigint[], :born_latest_versions::bigint[],
              :born_latest_version_cursors::bigint[], :born_latest_steps::bigint[],
              :born_has_approvals::boolean[])
       as new (channel_id, cursor, chain_hash, version, latest_version, latest_version_cursor, latest_step,
               has_approvals)
on conflict (channel_id) do nothing
returning 1

-- name: write_channels -> part
insert into channels (channel_id, created_at)
select new.channel_id, :now::timestamptz
  from unnest(:born_channel_ids::text[]) as new (channel_id)
on conflict (channel_id) do nothing

-- name: write_events -> part
insert into events (channel_id, cursor, event_id, event_type, actor, agent_id, user_id, payload, metadata,
                    depends_on, dependencies, chain_hash, recorded_at)
select new.channel_id, new.cursor, new.event_id, new.event_type, new.actor, new.agent_id, new.user_id,
       new.payload, new.metadata, new.depends_on, new.dependencies, new.chain_hash, :now::timestamptz
  from unnest(:event_channel_ids::text[], :event_cursors::bigint[], :event_ids::uuid[], :event_types::text[],
              :event_actors::text[], :event_agent_ids::text[], :event_user_ids::text[],
              :event_payloads::json[], :event_metadatas::json[], :event_depends_on::uuid[],
              :event_dependencies::json[], :event_chain_hashes::bytea[])
       as new (channel_id, cursor, event_id, event_type, actor, agent_id, user_id, payload, metadata,
               depends_on, dependencies, chain_hash)

-- name: write_states -> part
insert into states (channel_id, version, cursor, state, dependencies, saved_at)
select new.channel_id, new.version, new.cursor, new.state, new.dependencies, :now::timestamptz
  from unnest(:state_channel_ids::text[], :state_versions::bigint[], :state_cursors::bigint[],
              :state_states::json[], :state_dependencies::json[])
       as new (channel_id, version, cursor, state, dependencies)

-- name: write_operations -> part
insert into operations (channel_id, operation_digest, content_digest, cursor, version)
select new.channel_id, new.operation_digest, new.content_digest, new.cursor, new.version
  from unnest(:operation_channel_ids::text[], :operation_operation_digests::uuid[],
              :operation_content_digests::bytea[], :operation_cursors::bigint[], :operation_versions::bigint[])
       as new (channel_id, operation_digest, content_digest, cursor, version)

-- name: write_steps -> part
insert into steps (channel_id, step_number, cursor, event_id, latest_step)
select new.channel_id, new.step_number, new.cursor, new.event_id, new.latest_step
  from unnest(:step_channel_ids::text[], :step_numbers::bigint[], :step_cursors::bigint[],
              :step_event_ids::uuid[], :step_latest_steps::bigint[])
       as new (channel_id, step_number, cursor, event_id, latest_step)

-- name: write_claims -> part
-- Attempts that begin: new rows, and rows that are taken over. The first claim's time stays.
insert into executions (channel_id, key_digest, key_name, tool_name, fingerprint, status, attempts,
                        token_digest, lease_seconds, lease_until, started_cursor, started_event_id,
                        completed_cursor, completed_event_id, replay_emitted, created_at, updated_at,
                        completed_at, on_lapse, expires_at)
select new.channel_id, new.key_digest, new.key_name, new.tool_name, new.fingerprint, new.status, new.attempts,
       new.token_digest, new.lease_seconds, :now::timestamptz + make_interval(secs => new.lease_left),
       new.started_cursor, new.started_event_id, new.completed_cursor, new.completed_event_id,
       new.replay_emitted, :now::timestamptz, :now::timestamptz,
       case when new.lease_left is null then :now::timestamptz end, new.on_lapse,
       :now::timestamptz + make_interval(secs => new.life_left)
  from unnest(:claim_channel_ids::text[], :claim_key_digests::uuid[], :claim_key_names::text[],
              :claim_tool_names::text[], :claim_fingerprints::bytea[], :claim_statuses::text[],
              :claim_attempts::integer[], :claim_token_digests::bytea[], :claim_lease_seconds::integer[],
              :claim_lease_left::float8[], :claim_started_cursors::bigint[], :claim_started_event_ids::uuid[],
              :claim_completed_cursors::bigint[], :claim_completed_event_ids::uuid[],
              :claim_replay_emitted::boolean[], :claim_on_lapses::text[], :claim_life_left::float8[])
       as new (channel_id, key_digest, key_name, tool_name, fingerprint, status, attempts, token_digest,
               lease_seconds, lease_left, started_cursor, started_event_id, completed_cursor,
               completed_event_id, replay_emitted, on_lapse, life_left)
on conflict (channel_id, key_digest) do update
   set status = excluded.status, attempts = excluded.attempts, token_digest = excluded.token_digest,
       lease_seconds = excluded.lease_seconds, lease_until = excluded.lease_until,
       started_cursor = excluded.started_cursor, started_event_id = excluded.started_event_id,
       completed_cursor = excluded.completed_cursor, completed_event_id = excluded.completed_event_id,
       replay_emitted = excluded.replay_emitted, updated_at = excluded.updated_at,
       completed_at = excluded.completed_at, on_lapse = excluded.on_lapse

-- name: write_settlements -> part
-- Attempts that end, or go on. Whether the caller owns them was decided before; the guarded heads say
-- that nothing has moved since. Times are not sent row by row: whatever changes, changes now.
update executions as held
   set status = new.status, lease_until = :now::timestamptz + make_interval(secs => new.lease_left),
       completed_cursor = new.completed_cursor, completed_event_id = new.completed_event_id,
       replay_emitted = new.replay_emitted, updated_at = :now::timestamptz,
       completed_at = case when new.ends then :now::timestamptz else held.completed_at end,
       on_lapse = new.on_lapse
  from unnest(:settled_channel_ids::text[], :settled_key_digests::uuid[], :settled_statuses::text[],
              :settled_lease_left::float8[], :settled_completed_cursors::bigint[],
              :settled_completed_event_ids::uuid[], :settled_replay_emitted::boolean[], :settled_ends::boolean[],
              :settled_on_lapses::text[])
       as new (channel_id, key_digest, status, lease_left, completed_cursor, completed_event_id,
               replay_emitted, ends, on_lapse)
 where held.channel_id = new.channel_id and held.key_digest = new.key_digest

-- name: write_evidence -> part
insert into late_evidence (channel_id, key_digest, token_digest, cursor)
select new.channel_id, new.key_digest, new.token_digest, new.cursor
  from unnest(:evidence_channel_ids::text[], :evidence_key_digests::uuid[],
              :evidence_token_digests::bytea[], :evidence_cursors::bigint[])
       as new (channel_id, key_digest, token_digest, cursor)
on conflict (channel_id, key_digest, token_digest) do nothing

-- name: read_evidence_tokens -> many
-- For workers who report on operations that they do not own: whose reports are kept already.
select kept.channel_id, kept.key_digest::text, kept.token_digest
  from unnest(:channel_ids::text[], :key_digests::uuid[]) as asked (channel_id, key_digest)
  join late_evidence as kept
    on kept.channel_id = asked.channel_id and kept.key_digest = asked.key_digest;

-- name: read_late_reports -> many
-- For claims of what was resolved as not applied: what workers have reported since.
select kept.channel_id, kept.key_digest::text, told.cursor, told.event_id::text, told.recorded_at, told.payload
  from unnest(:channel_ids::text[], :key_digests::uuid[], :cursors::bigint[])
       as asked (channel_id, key_digest, cursor)
  join late_evidence as kept
    on kept.channel_id = asked.channel_id and kept.key_digest = asked.key_digest and kept.cursor > asked.cursor
  join events as told on told.channel_id = kept.channel_id and told.cursor = kept.cursor
 order by told.cursor;

-- name: write_approvals -> part
-- Requests, and what became of those that were there. What was asked never changes.
insert into approvals (channel_id, request_digest, request_id, key_digest, fingerprint, status,
                       requested_cursor, requested_event_id, expires_at, decided_cursor)
select new.channel_id, new.request_digest, new.request_id, new.key_digest, new.fingerprint, new.status,
       new.requested_cursor, new.requested_event_id, new.expires_at, new.decided_cursor
  from unnest(:approval_channel_ids::text[], :approval_request_digests::uuid[], :approval_request_ids::text[],
              :approval_key_digests::uuid[], :approval_fingerprints::bytea[], :approval_statuses::text[],
              :approval_requested_cursors::bigint[], :approval_requested_event_ids::uuid[],
              :approval_expires_at::timestamptz[], :approval_decided_cursors::bigint[])
       as new (channel_id, request_digest, request_id, key_digest, fingerprint, status, requested_cursor,
               requested_event_id, expires_at, decided_cursor)
on conflict (channel_id, request_digest) do update
   set status = excluded.status, decided_cursor = excluded.decided_cursor

-- name: write_uses -> part
-- More of budgets is used. Two servers may use one at once: that is fine while there is enough for both, and
-- otherwise this writes fewer rows than asked, and the guard fails.
insert into budget_uses (channel_id, guard_id, window_start, window_end, used, most)
select new.channel_id, new.guard_id, new.window_start, new.window_end, new.taken, new.most
  from unnest(:use_channel_ids::text[], :use_guard_ids::text[], :use_window_starts::timestamptz[],
              :use_window_ends::timestamptz[], :use_taken::numeric[], :use_limits::numeric[])
       as new (channel_id, guard_id, window_start, window_end, taken, most)
on conflict (channel_id, guard_id, window_start) do update
   set used = budget_uses.used + excluded.used
 where budget_uses.used + excluded.used <= budget_uses.most
returning 1

-- name: write_recalls -> part
-- The last operation with a fingerprint takes the place of the one that was read. If another server put a
-- third one there meanwhile, this writes fewer rows than asked, and the guard fails.
insert into recent_calls (channel_id, guard_id, fingerprint, called_channel_id, called_key_digest,
                          claimed_at, repeats, forgotten_at)
select new.channel_id, new.guard_id, new.fingerprint, new.called_channel_id, new.called_key_digest,
       new.claimed_at, new.repeats, new.forgotten_at
  from unnest(:recall_channel_ids::text[], :recall_guard_ids::text[], :recall_fingerprints::bytea[],
              :recall_called_channel_ids::text[], :recall_called_key_digests::uuid[],
              :recall_claimed_at::timestamptz[], :recall_repeats::boolean[],
              :recall_forgotten_at::timestamptz[])
       as new (channel_id, guard_id, fingerprint, called_channel_id, called_key_digest, claimed_at, repeats,
               forgotten_at)
on conflict (channel_id, guard_id, fingerprint) do update
   set called_channel_id = excluded.called_channel_id, called_key_digest = excluded.called_key_digest,
       claimed_at = excluded.claimed_at, repeats = excluded.repeats, forgotten_at = excluded.forgotten_at
 where exists (
        select from unnest(:recall_channel_ids::text[], :recall_guard_ids::text[],
                           :recall_fingerprints::bytea[], :recall_before_channel_ids::text[],
                           :recall_before_key_digests::uuid[])
                    as asked (channel_id, guard_id, fingerprint, before_channel_id, before_key_digest)
         where asked.channel_id = excluded.channel_id and asked.guard_id = excluded.guard_id
           and asked.fingerprint = excluded.fingerprint
           and asked.before_channel_id = recent_calls.called_channel_id
           and asked.before_key_digest = recent_calls.called_key_digest)
returning 1

-- name: hold_guards -> part
-- Attempts start under the guards that were read, or not at all: a change of guards that has removed this
-- revision is obeyed, and one that is about to waits for this write. Last of what is counted, so that it is
-- held for no longer than it has to be.
select 1 from guard_revisions where revision = :guards_revision::bigint for key share

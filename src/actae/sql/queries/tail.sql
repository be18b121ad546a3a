-- name: list_head_cursors -> many
-- How far the channels that somebody follows reach by now.
select channel_id, cursor
  from channel_heads
 where channel_id = any(:channel_ids::text[]);

-- name: send_hints -> none
-- On a connection whose commits do not wait for the disk: a hint may get lost, and the poll stands behind it.
select pg_notify('actae', hint) from unnest(:hints::text[]) as hint;

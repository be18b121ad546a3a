-- The one clock. Leases, due times and expiry are judged by it and by nothing else; clients
-- send durations, never instants. Tests replace the body to move time for every session at once.
create or replace function actae_now() returns timestamptz language sql volatile
as $$ select clock_timestamp() $$;

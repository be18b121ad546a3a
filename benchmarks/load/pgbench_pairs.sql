-- One run of this script is a pair: two statements, each its own transaction. :run, :channels and a first :number
-- come from the command line.
\set number :number + 1
\set channel (:client_id + :number) % :channels
insert into reference_claims (channel_id, key_name, tool_name, status, claim_token, lease_until, params, created_at)
values ('bench-' || :channel::int, :run::text || '-' || :client_id::int || '-' || :number::int, 'charge_customer', 'running',
        gen_random_uuid(), now() + interval '60 seconds',
        '{"invoice":"inv-2048","amount":"149.90","currency":"EUR","memo":"monthly subscription"}', now())
returning channel_id, key_name, claim_token \gset
update reference_claims
   set status = 'completed', lease_until = null, completed_at = now(),
       result = '{"charge":"ch_3PqvXk2eZvKYlo2C","status":"succeeded"}'
 where channel_id = :channel_id and key_name = :key_name and claim_token = :claim_token::uuid;

-- The reference: the least that a ledger of claims can be. One row per claim, unique by channel and key, with the
-- same params and results that the benchmark sends to Actae. No events, no hash chain, no fingerprint.
create table reference_claims (
    channel_id   text        not null,
    key_name     text        not null,
    tool_name    text        not null,
    status       text        not null,
    claim_token  uuid        not null,
    lease_until  timestamptz,
    params       json,
    result       json,
    created_at   timestamptz not null,
    completed_at timestamptz,
    primary key (channel_id, key_name)
);

-- The same for deliveries: what is notified is also stored.
create table reference_events (
    id         bigint generated always as identity primary key,
    channel_id text   not null,
    payload    json   not null
);

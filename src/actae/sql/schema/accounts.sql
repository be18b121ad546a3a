-- API keys. Only a digest is kept: the key has 128 bits of randomness, so a plain SHA-256 is enough.
-- A revoked key keeps its row, so that its holder is told, and so that an installation which has ever had
-- a key never makes a first one again.
create table api_keys (
    key_id text collate "C" not null,
    key_digest bytea not null,
    name text not null,
    read_patterns text[] not null,
    write_patterns text[] not null,
    delete_patterns text[] not null,
    admin_patterns text[] not null,
    observe_patterns text[] not null default '{}',
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    constraint api_keys_pkey primary key (key_digest),
    constraint api_keys_key_id_unique unique (key_id)
);

-- People, for the console. Passwords are argon2id.
create table users (
    email text collate "C" not null,      -- lower case
    user_id uuid not null,
    password_hash text not null,
    name text,
    read_patterns text[] not null,
    write_patterns text[] not null,
    delete_patterns text[] not null,
    admin_patterns text[] not null,
    observe_patterns text[] not null default '{}',
    created_at timestamptz not null,
    constraint users_email_unique primary key (email),
    constraint users_user_id_unique unique (user_id)
);

-- Signed-out tokens, until they would have expired anyway.
create table revoked_tokens (
    token_id uuid not null,
    expires_at timestamptz not null,
    constraint revoked_tokens_pkey primary key (token_id)
);

-- One free JSON object per user or key.
create table preferences (
    owner text collate "C" not null,
    preferences json not null,
    constraint preferences_pkey primary key (owner)
);

-- One row: who this installation is, and the secret from which tokens are derived.
create table instance (
    only_row boolean not null default true,
    instance_id uuid not null,
    secret bytea not null,
    created_at timestamptz not null,
    constraint instance_pkey primary key (only_row),
    constraint instance_single check (only_row)
);

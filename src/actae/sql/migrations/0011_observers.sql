-- Observers: keys and users who see that something happened, and not what it said.

alter table api_keys add column observe_patterns text[] not null default '{}';
alter table users add column observe_patterns text[] not null default '{}';

-- Times are milliseconds since 1970 in UTC, 0 for none. Texts are bytea: PostgreSQL's
-- own text cannot hold NUL, and bytes sort alike in every locale; convert_from(content,
-- 'UTF8') shows one. Foreign keys are deferred because fn of an Update may look, and
-- have what it wrote sent, before a new conversation is written.

-- +goose Up
CREATE TABLE conversations (
    tenant             bytea   NOT NULL,
    subject            bytea   NOT NULL,
    app                bytea   NOT NULL,
    chat_id            bytea   NOT NULL,
    id                 bytea   NOT NULL UNIQUE,
    language           bytea   NOT NULL,
    fence              bigint  NOT NULL,
    event_fence        bigint  NOT NULL,
    event_seq          bigint  NOT NULL,
    created_at         bigint  NOT NULL,
    updated_at         bigint  NOT NULL,
    queued             bigint  NOT NULL, -- how many rows of queue
    turn_id            bytea   NOT NULL, -- of the newest turn, '' before the first
    turn_state         bytea   NOT NULL,
    turn_language      bytea   NOT NULL,
    turn_interactive   boolean NOT NULL,
    turn_steps         bigint  NOT NULL,
    turn_finish_reason bytea   NOT NULL,
    turn_input_tokens  bigint  NOT NULL,
    turn_output_tokens bigint  NOT NULL,
    turn_owner         bytea   NOT NULL, -- id of a node
    turn_started_at    bigint  NOT NULL,
    turn_ended_at      bigint  NOT NULL
);
CREATE INDEX conversations_updated ON conversations (tenant, subject, app, updated_at, chat_id);
CREATE INDEX conversations_running ON conversations (turn_owner) WHERE turn_state = 'running';
CREATE INDEX conversations_waiting ON conversations (updated_at) WHERE queued > 0 AND turn_state = 'ended';
CREATE INDEX conversations_stale ON conversations (app, updated_at) WHERE turn_state <> 'running';
-- Last, because of indexes that look equally good the planner takes the newest: on a
-- table without statistics it would find a chat by conversations_updated.
ALTER TABLE conversations ADD PRIMARY KEY (tenant, subject, app, chat_id);

CREATE TABLE nodes (
    id          bytea   NOT NULL PRIMARY KEY,
    lease_until bigint  NOT NULL,
    lapsed      boolean NOT NULL -- whether its leases were not held when the last heartbeat came
);

CREATE TABLE runs (
    conversation_id bytea   NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    fence           bigint  NOT NULL,
    turn_id         bytea   NOT NULL,
    resumed         boolean NOT NULL,
    finish_reason   bytea   NOT NULL,
    failure         bytea,            -- JSON, null where it ended well
    input_tokens    bigint  NOT NULL,
    output_tokens   bigint  NOT NULL,
    last_seq        bigint  NOT NULL,
    started_at      bigint  NOT NULL,
    ended_at        bigint  NOT NULL,
    PRIMARY KEY (conversation_id, fence)
);

CREATE TABLE messages (
    conversation_id bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position        bigint NOT NULL, -- 1.. within the conversation
    id              bytea  NOT NULL,
    turn_id         bytea  NOT NULL,
    fence           bigint NOT NULL,
    role            bytea  NOT NULL,
    content         bytea  NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (conversation_id, position)
);

CREATE TABLE tool_calls (
    conversation_id bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    id              bytea  NOT NULL,
    message         bigint NOT NULL, -- position of its message
    position        bigint NOT NULL, -- 0.. within the message
    name            bytea  NOT NULL,
    arguments       bytea  NOT NULL,
    started         bigint NOT NULL, -- fence of the run that began it
    result_fence    bigint,          -- null while there is no result
    result          bytea  NOT NULL,
    error_code      bytea,           -- null where the result is no error
    error_message   bytea  NOT NULL,
    error_reason    bytea  NOT NULL,
    PRIMARY KEY (conversation_id, id)
);

CREATE TABLE clarifications (
    id              bytea  NOT NULL,
    conversation_id bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    tenant          bytea  NOT NULL,
    subject         bytea  NOT NULL,
    app             bytea  NOT NULL,
    chat_id         bytea  NOT NULL,
    turn_id         bytea  NOT NULL,
    tool_call_id    bytea  NOT NULL,
    tool_name       bytea  NOT NULL,
    arguments       bytea  NOT NULL,
    kind            bytea  NOT NULL,
    question        bytea  NOT NULL, -- JSON
    number          bigint NOT NULL,
    max             bigint NOT NULL,
    state           bytea  NOT NULL,
    answer          bytea,           -- JSON, null where nobody answered
    asked_fence     bigint NOT NULL,
    done_fence      bigint NOT NULL,
    asked_at        bigint NOT NULL,
    answered_at     bigint NOT NULL,
    expires_at      bigint NOT NULL
);
CREATE INDEX clarifications_chat ON clarifications (conversation_id, number, id);
CREATE INDEX clarifications_subject ON clarifications (tenant, subject, asked_at, number, id) WHERE state = 'pending';
CREATE INDEX clarifications_app ON clarifications (app, asked_at) WHERE state = 'pending';
CREATE INDEX clarifications_expiry ON clarifications (expires_at, id) WHERE state = 'pending' AND expires_at > 0;
ALTER TABLE clarifications ADD PRIMARY KEY (id);

CREATE TABLE queue (
    conversation_id bytea   NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position        bigint  NOT NULL, -- grows within the conversation
    id              bytea   NOT NULL,
    content         bytea   NOT NULL,
    language        bytea   NOT NULL,
    interactive     boolean NOT NULL,
    idempotency_key bytea   NOT NULL,
    created_at      bigint  NOT NULL,
    PRIMARY KEY (conversation_id, position)
);

CREATE TABLE idempotency (
    conversation_id bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    key             bytea  NOT NULL,
    hash            bytea  NOT NULL,
    fence           bigint NOT NULL,
    message_id      bytea  NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (conversation_id, key)
);

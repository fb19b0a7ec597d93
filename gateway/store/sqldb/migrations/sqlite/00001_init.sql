-- Times are milliseconds since 1970 in UTC, 0 for none. Tables are clustered
-- by their chat (WITHOUT ROWID), so that a chat is read from neighbouring pages.
-- Foreign keys are deferred because a new conversation is written last, once.

-- +goose Up
CREATE TABLE conversations (
    tenant      TEXT    NOT NULL,
    subject     TEXT    NOT NULL,
    app         TEXT    NOT NULL,
    chat_id     TEXT    NOT NULL,
    id          TEXT    NOT NULL UNIQUE,
    language    TEXT    NOT NULL,
    fence       INTEGER NOT NULL,
    event_fence INTEGER NOT NULL,
    event_seq   INTEGER NOT NULL,
    turn        INTEGER NOT NULL, -- number of the newest turn, 0 before the first
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, subject, app, chat_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_updated ON conversations (tenant, subject, app, updated_at, chat_id);

CREATE TABLE turns (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number          INTEGER NOT NULL, -- 1.. within the conversation
    id              TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    language        TEXT    NOT NULL,
    interactive     INTEGER NOT NULL,
    steps           INTEGER NOT NULL,
    finish_reason   TEXT    NOT NULL,
    input_tokens    INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    lease_owner     TEXT    NOT NULL,
    lease_until     INTEGER NOT NULL,
    started_at      INTEGER NOT NULL,
    ended_at        INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX turns_running ON turns (lease_until, conversation_id) WHERE state = 'running';

CREATE TABLE runs (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    fence           INTEGER NOT NULL,
    turn_id         TEXT    NOT NULL,
    resumed         INTEGER NOT NULL,
    finish_reason   TEXT    NOT NULL,
    failure         TEXT,             -- JSON, null where it ended well
    input_tokens    INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    last_seq        INTEGER NOT NULL,
    started_at      INTEGER NOT NULL,
    ended_at        INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, fence)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position        INTEGER NOT NULL, -- 1.. within the conversation
    id              TEXT    NOT NULL,
    turn_id         TEXT    NOT NULL,
    fence           INTEGER NOT NULL,
    role            TEXT    NOT NULL,
    content         TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_calls (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    id              TEXT    NOT NULL,
    message         INTEGER NOT NULL, -- position of its message
    position        INTEGER NOT NULL, -- 0.. within the message
    name            TEXT    NOT NULL,
    arguments       TEXT    NOT NULL,
    result_fence    INTEGER,          -- null while there is no result
    result          TEXT    NOT NULL,
    error_code      TEXT,             -- null where the result is no error
    error_message   TEXT    NOT NULL,
    error_reason    TEXT    NOT NULL,
    PRIMARY KEY (conversation_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE clarifications (
    id              TEXT    NOT NULL PRIMARY KEY,
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    tenant          TEXT    NOT NULL,
    subject         TEXT    NOT NULL,
    app             TEXT    NOT NULL,
    chat_id         TEXT    NOT NULL,
    turn_id         TEXT    NOT NULL,
    tool_call_id    TEXT    NOT NULL,
    tool_name       TEXT    NOT NULL,
    arguments       TEXT    NOT NULL,
    kind            TEXT    NOT NULL,
    question        TEXT    NOT NULL, -- JSON
    number          INTEGER NOT NULL,
    max             INTEGER NOT NULL,
    state           TEXT    NOT NULL,
    answer          TEXT,             -- JSON, null where nobody answered
    asked_fence     INTEGER NOT NULL,
    done_fence      INTEGER NOT NULL,
    asked_at        INTEGER NOT NULL,
    answered_at     INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX clarifications_chat ON clarifications (conversation_id, number, id);
CREATE INDEX clarifications_subject ON clarifications (tenant, subject, asked_at, number, id) WHERE state = 'pending';
CREATE INDEX clarifications_app ON clarifications (app, asked_at) WHERE state = 'pending';
CREATE INDEX clarifications_expiry ON clarifications (expires_at, id) WHERE state = 'pending' AND expires_at > 0;

CREATE TABLE idempotency (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    key             TEXT    NOT NULL,
    hash            TEXT    NOT NULL,
    fence           INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, key)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE idempotency;
DROP TABLE clarifications;
DROP TABLE tool_calls;
DROP TABLE messages;
DROP TABLE runs;
DROP TABLE turns;
DROP TABLE conversations;

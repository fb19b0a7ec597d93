-- What programs ask and tell people, without a turn: who asks, who else than the owner of the
-- chat may answer, and when a screen first showed it.

-- +goose Up
ALTER TABLE clarifications ADD COLUMN asker TEXT NOT NULL DEFAULT ''; -- subject of who asked, '' for a model
ALTER TABLE clarifications ADD COLUMN for_role TEXT NOT NULL DEFAULT ''; -- whose holders answer, '' for the owner
ALTER TABLE clarifications ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
-- Chats in which programs ask may have any number of closed ones.
CREATE INDEX clarifications_turns ON clarifications (conversation_id, number, id) WHERE asker = '';
CREATE INDEX clarifications_role ON clarifications (tenant, for_role, asked_at, number, id) WHERE state = 'pending' AND for_role <> '';

ALTER TABLE messages ADD COLUMN asked_by TEXT NOT NULL DEFAULT ''; -- JSON, '' for what people and models said
ALTER TABLE messages ADD COLUMN clarification_id TEXT NOT NULL DEFAULT ''; -- that it stands for

ALTER TABLE conversations ADD COLUMN asking INTEGER NOT NULL DEFAULT 0; -- pending questions of programs
ALTER TABLE conversations ADD COLUMN untold INTEGER NOT NULL DEFAULT 0; -- whether no run has told of something yet
CREATE INDEX conversations_untold ON conversations (updated_at) WHERE untold AND turn_state <> 'running';

-- What programs said while a turn ran.
CREATE TABLE aside (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position        INTEGER NOT NULL, -- grows within the conversation
    id              TEXT    NOT NULL,
    content         TEXT    NOT NULL,
    asked_by        TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;

-- The idempotency keys of askers.
CREATE TABLE claims (
    tenant           TEXT    NOT NULL,
    asker            TEXT    NOT NULL,
    app              TEXT    NOT NULL,
    key              TEXT    NOT NULL,
    hash             TEXT    NOT NULL,
    clarification_id TEXT    NOT NULL,
    conversation_id  TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    created_at       INTEGER NOT NULL,
    PRIMARY KEY (tenant, asker, app, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_chat ON claims (conversation_id);
CREATE INDEX claims_old ON claims (created_at);

-- The audit: what happened to clarifications, as JSON. It is only added to. What is
-- about a chat goes with the chat.

-- +goose Up
CREATE TABLE audit (
    id              INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- null: it stays
    at              INTEGER NOT NULL,
    app             TEXT    NOT NULL,
    record          TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit (at, id);
CREATE INDEX audit_chat ON audit (conversation_id);
-- +goose StatementBegin
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'records of the audit are never changed');
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit;

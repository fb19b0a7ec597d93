-- The files that people upload as answers. Their bytes are elsewhere, and are deleted before
-- their row: what an erased chat had stays here, without the chat, until they are.

-- +goose Up
CREATE TABLE files (
    seq              INTEGER PRIMARY KEY,
    conversation_id  TEXT    REFERENCES conversations (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    id               TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    type             TEXT    NOT NULL,
    size             INTEGER NOT NULL, -- -1 while it comes in
    clarification_id TEXT    NOT NULL, -- which it answers, '' before
    created_at       INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX files_chat ON files (conversation_id, id);
CREATE INDEX files_id ON files (id);
CREATE INDEX files_unused ON files (created_at) WHERE clarification_id = '' AND conversation_id IS NOT NULL;

-- +goose Down
DROP TABLE files;

-- What results show people: the parts with their call, as JSON, and the bytes that they hold
-- by themselves, since they are large and no run reads them.

-- +goose Up
ALTER TABLE tool_calls ADD COLUMN content TEXT NOT NULL DEFAULT ''; -- '' for nothing
CREATE TABLE contents (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    id              TEXT    NOT NULL,
    media           TEXT    NOT NULL,
    size            INTEGER NOT NULL,
    bytes           BLOB    NOT NULL,
    PRIMARY KEY (conversation_id, id)
) STRICT;

-- Files that people attach to messages: each message says which, in its order. What waits for
-- the first message of a chat is in a conversation that has not begun.

-- +goose Up
ALTER TABLE messages ADD COLUMN files bytea NOT NULL DEFAULT ''; -- JSON, '' for none
ALTER TABLE queue ADD COLUMN files bytea NOT NULL DEFAULT '';
CREATE INDEX conversations_unsent ON conversations (updated_at) WHERE fence = 0;

-- +goose Down
DROP INDEX conversations_unsent;
ALTER TABLE queue DROP COLUMN files;
ALTER TABLE messages DROP COLUMN files;

-- Chats that clients forked of one which they know by a name, what clients call their messages, and
-- whether a run's response reached its client whole.

-- +goose Up
ALTER TABLE conversations ADD COLUMN root TEXT NOT NULL DEFAULT ''; -- chat id, '' for a chat that is no branch
ALTER TABLE conversations ADD COLUMN written_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversations_branches ON conversations (tenant, subject, app, root, written_at, chat_id) WHERE root <> '';
ALTER TABLE messages ADD COLUMN client_id TEXT NOT NULL DEFAULT ''; -- a hash, '' for none
CREATE INDEX messages_client ON messages (conversation_id, client_id, position) WHERE client_id <> '';
ALTER TABLE queue ADD COLUMN client_id TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE runs DROP COLUMN delivered;
ALTER TABLE queue DROP COLUMN client_id;
DROP INDEX messages_client;
ALTER TABLE messages DROP COLUMN client_id;
DROP INDEX conversations_branches;
ALTER TABLE conversations DROP COLUMN written_at;
ALTER TABLE conversations DROP COLUMN root;

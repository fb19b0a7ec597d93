-- Chats that clients forked of one which they know by a name, what clients call their messages, and
-- whether a run's response reached its client whole.

-- +goose Up
ALTER TABLE conversations ADD COLUMN root bytea NOT NULL DEFAULT ''; -- chat id, '' for a chat that is no branch
ALTER TABLE conversations ADD COLUMN written_at bigint NOT NULL DEFAULT 0;
CREATE INDEX conversations_branches ON conversations (tenant, subject, app, root, written_at, chat_id) WHERE root <> '';
ALTER TABLE messages ADD COLUMN client_id bytea NOT NULL DEFAULT ''; -- a hash, '' for none
CREATE INDEX messages_client ON messages (conversation_id, client_id, position) WHERE client_id <> '';
ALTER TABLE queue ADD COLUMN client_id bytea NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN delivered boolean NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE runs DROP COLUMN delivered;
ALTER TABLE queue DROP COLUMN client_id;
DROP INDEX messages_client;
ALTER TABLE messages DROP COLUMN client_id;
DROP INDEX conversations_branches;
ALTER TABLE conversations DROP COLUMN written_at;
ALTER TABLE conversations DROP COLUMN root;

-- Chats that are deleted when their turn is over.

-- +goose Up
ALTER TABLE conversations ADD COLUMN passing boolean NOT NULL DEFAULT FALSE;
CREATE INDEX conversations_passed ON conversations (updated_at) WHERE passing AND queued = 0 AND turn_state = 'ended';

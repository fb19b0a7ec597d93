-- Chats that are deleted when their turn is over.

-- +goose Up
ALTER TABLE conversations ADD COLUMN passing INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversations_passed ON conversations (updated_at) WHERE passing AND queued = 0 AND turn_state = 'ended';

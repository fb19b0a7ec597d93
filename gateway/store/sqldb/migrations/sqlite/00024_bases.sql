-- What the prompts of a chat's newest turn begin with, so that each request of the turn begins alike
-- on every node. An older build neither writes nor reads it.

-- +goose Up
CREATE TABLE bases (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    turn_id         TEXT NOT NULL,
    content         TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE bases;

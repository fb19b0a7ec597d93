-- The tools that the client of a chat's newest turn brought with its newest request, so that each later
-- request of the turn offers them, on every node. An older build neither writes nor reads them.

-- +goose Up
CREATE TABLE client_tools (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    turn_id         TEXT NOT NULL,
    content         TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE client_tools;

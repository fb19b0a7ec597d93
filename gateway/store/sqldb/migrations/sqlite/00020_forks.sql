-- Chats that begin as a copy of a part of another: which, and what ran there behind the point.
-- What was asked there is marked (bit 32 of marks), and not tallied a second time.

-- +goose Up
ALTER TABLE conversations ADD COLUMN forked_from TEXT NOT NULL DEFAULT ''; -- JSON, '' for a chat that began by itself
CREATE TABLE ran (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    tool            TEXT NOT NULL,
    digest          TEXT NOT NULL, -- of the tool's name and the arguments
    PRIMARY KEY (conversation_id, tool, digest)
) STRICT, WITHOUT ROWID;
DROP INDEX clarifications_asked;
CREATE INDEX clarifications_asked ON clarifications (asked_at, app, state, answered_at, marks);

-- +goose Down
DROP INDEX clarifications_asked;
CREATE INDEX clarifications_asked ON clarifications (asked_at, app, state, answered_at);
DROP TABLE ran;
ALTER TABLE conversations DROP COLUMN forked_from;

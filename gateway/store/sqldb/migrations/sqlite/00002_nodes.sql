-- The newest turn moves into its conversation's row: no older one was ever read, and
-- a turn begins by writing one row instead of two. A lease belongs to a node.

-- +goose Up
ALTER TABLE conversations ADD COLUMN turn_id            TEXT    NOT NULL DEFAULT ''; -- '' before the first
ALTER TABLE conversations ADD COLUMN turn_state         TEXT    NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN turn_language      TEXT    NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN turn_interactive   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN turn_steps         INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN turn_finish_reason TEXT    NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN turn_input_tokens  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN turn_output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN turn_owner         TEXT    NOT NULL DEFAULT ''; -- id of a node
ALTER TABLE conversations ADD COLUMN turn_started_at    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN turn_ended_at      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN queued             INTEGER NOT NULL DEFAULT 0; -- how many rows of queue

UPDATE conversations SET turn_id = t.id, turn_state = t.state, turn_language = t.language,
    turn_interactive = t.interactive, turn_steps = t.steps, turn_finish_reason = t.finish_reason,
    turn_input_tokens = t.input_tokens, turn_output_tokens = t.output_tokens, turn_owner = t.lease_owner,
    turn_started_at = t.started_at, turn_ended_at = t.ended_at
    FROM turns t WHERE t.conversation_id = conversations.id AND t.number = conversations.turn;
DROP TABLE turns;
ALTER TABLE conversations DROP COLUMN turn;

CREATE INDEX conversations_running ON conversations (turn_owner) WHERE turn_state = 'running';
CREATE INDEX conversations_waiting ON conversations (updated_at) WHERE queued > 0 AND turn_state = 'ended';
-- Without those that run: a new chat is entered when its first turn is over, not
-- while somebody waits for its first chunk.
CREATE INDEX conversations_stale ON conversations (app, updated_at) WHERE turn_state <> 'running';

CREATE TABLE nodes (
    id          TEXT    NOT NULL PRIMARY KEY,
    lease_until INTEGER NOT NULL,
    lapsed      INTEGER NOT NULL -- whether its leases were not held when the last heartbeat came
) STRICT, WITHOUT ROWID;

CREATE TABLE queue (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position        INTEGER NOT NULL, -- grows within the conversation
    id              TEXT    NOT NULL,
    content         TEXT    NOT NULL,
    language        TEXT    NOT NULL,
    interactive     INTEGER NOT NULL,
    idempotency_key TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;

ALTER TABLE tool_calls ADD COLUMN started INTEGER NOT NULL DEFAULT 0; -- fence of the run that began it
ALTER TABLE idempotency ADD COLUMN message_id TEXT NOT NULL DEFAULT '';

-- What of a chat each model is sent, and what a run reads of a chat that it does not read
-- whole: the calls of some messages, the questions of some turns, those that are open, all
-- that are a model's, and the approvals that are remembered.

-- +goose Up
CREATE TABLE fits (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    model           TEXT    NOT NULL, -- its name in the configuration
    settings        TEXT    NOT NULL,
    first_message   INTEGER NOT NULL, -- position, 0 for all
    max_bytes       INTEGER NOT NULL, -- 0 for none
    per_mille       INTEGER NOT NULL, -- 0 where nobody knows
    PRIMARY KEY (conversation_id, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_calls_message ON tool_calls (conversation_id, message);
CREATE INDEX clarifications_turn ON clarifications (conversation_id, turn_id);
CREATE INDEX clarifications_questions ON clarifications (conversation_id, number, id) WHERE kind = 'question';
CREATE INDEX clarifications_open ON clarifications (conversation_id, number, id) WHERE state = 'pending';
CREATE INDEX clarifications_remembered ON clarifications (conversation_id, number, id) WHERE remembered = TRUE;

-- +goose Down
DROP TABLE fits;
DROP INDEX tool_calls_message;
DROP INDEX clarifications_turn;
DROP INDEX clarifications_questions;
DROP INDEX clarifications_open;
DROP INDEX clarifications_remembered;

-- What a client's program says to the model with a message: kept until the next turn of its chat begins.
-- An older build neither writes nor reads it.

-- +goose Up
CREATE TABLE instructions (
    conversation_id TEXT  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    message_id      TEXT  NOT NULL, -- of a message, or of one that is queued
    content         TEXT  NOT NULL,
    PRIMARY KEY (conversation_id, message_id)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE instructions;

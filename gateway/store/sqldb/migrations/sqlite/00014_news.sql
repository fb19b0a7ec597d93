-- What was stored that people, and the programs that ask them, want to hear of: for a day.

-- +goose Up
CREATE TABLE news (
    id               INTEGER NOT NULL PRIMARY KEY,
    at               INTEGER NOT NULL,
    tenant           TEXT    NOT NULL,
    subject          TEXT    NOT NULL,
    app              TEXT    NOT NULL,
    chat_id          TEXT    NOT NULL,
    conversation_id  TEXT    NOT NULL,
    role             TEXT    NOT NULL, -- who is asked, '' for the subject
    asker            TEXT    NOT NULL, -- the subject of the program that asked, '' for a model
    type             TEXT    NOT NULL,
    clarification_id TEXT    NOT NULL,
    turn_id          TEXT    NOT NULL,
    message_id       TEXT    NOT NULL,
    finish_reason    TEXT    NOT NULL,
    input_tokens     INTEGER NOT NULL,
    output_tokens    INTEGER NOT NULL
) STRICT;
CREATE INDEX news_subject ON news (tenant, subject, id);
CREATE INDEX news_role ON news (tenant, role, id) WHERE role <> '';
CREATE INDEX news_asker ON news (tenant, asker, id) WHERE asker <> '';

-- +goose Down
DROP TABLE news;

-- What was stored that people, and the programs that ask them, want to hear of: for a day. The
-- id has the number of the transaction, of a server that the database was copied from possibly
-- a greater one: so it is no key.

-- +goose Up
CREATE TABLE news (
    id               bigint NOT NULL,
    at               bigint NOT NULL,
    tenant           bytea  NOT NULL,
    subject          bytea  NOT NULL,
    app              bytea  NOT NULL,
    chat_id          bytea  NOT NULL,
    conversation_id  bytea  NOT NULL,
    role             bytea  NOT NULL, -- who is asked, '' for the subject
    asker            bytea  NOT NULL, -- the subject of the program that asked, '' for a model
    type             bytea  NOT NULL,
    clarification_id bytea  NOT NULL,
    turn_id          bytea  NOT NULL,
    message_id       bytea  NOT NULL,
    finish_reason    bytea  NOT NULL,
    input_tokens     bigint NOT NULL,
    output_tokens    bigint NOT NULL
);
CREATE INDEX news_id ON news (id);
CREATE INDEX news_subject ON news (tenant, subject, id);
CREATE INDEX news_role ON news (tenant, role, id) WHERE role <> '';
CREATE INDEX news_asker ON news (tenant, asker, id) WHERE asker <> '';

-- +goose Down
DROP TABLE news;

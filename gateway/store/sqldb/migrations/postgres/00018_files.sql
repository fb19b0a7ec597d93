-- The files that people upload as answers. Their bytes are elsewhere, and are deleted before
-- their row: what an erased chat had stays here, without the chat, until they are.

-- +goose Up
CREATE TABLE files (
    seq              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id  bytea  REFERENCES conversations (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    id               bytea  NOT NULL,
    name             bytea  NOT NULL,
    type             bytea  NOT NULL,
    size             bigint NOT NULL, -- -1 while it comes in
    clarification_id bytea  NOT NULL, -- which it answers, '' before
    created_at       bigint NOT NULL
);
CREATE UNIQUE INDEX files_chat ON files (conversation_id, id);
CREATE INDEX files_id ON files (id);
CREATE INDEX files_unused ON files (created_at) WHERE clarification_id = '' AND conversation_id IS NOT NULL;

-- +goose Down
DROP TABLE files;

-- What results show people: the parts with their call, as JSON, and the bytes that they hold
-- by themselves, since they are large and no run reads them.

-- +goose Up
ALTER TABLE tool_calls ADD COLUMN content bytea NOT NULL DEFAULT ''; -- '' for nothing
CREATE TABLE contents (
    conversation_id bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    id              bytea  NOT NULL,
    media           bytea  NOT NULL,
    size            bigint NOT NULL,
    bytes           bytea  NOT NULL,
    PRIMARY KEY (conversation_id, id)
);

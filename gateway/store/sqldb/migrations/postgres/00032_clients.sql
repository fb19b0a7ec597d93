-- What clients' own chats are known by, the codes that questions went out with, and passing chats that
-- are kept for their client to come back.

-- +goose Up
ALTER TABLE conversations ADD COLUMN used_with bytea NOT NULL DEFAULT ''; -- a hash, '' for none
ALTER TABLE conversations ADD COLUMN coded bytea NOT NULL DEFAULT ''; -- codes of four letters, one behind the other
ALTER TABLE conversations ADD COLUMN lasting boolean NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE conversations DROP COLUMN lasting;
ALTER TABLE conversations DROP COLUMN coded;
ALTER TABLE conversations DROP COLUMN used_with;

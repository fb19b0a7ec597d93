-- What chats are called, where that is more than how their first message begins.

-- +goose Up
ALTER TABLE conversations ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN title_by TEXT NOT NULL DEFAULT ''; -- 'person' or 'model', which may have found none

-- +goose Down
ALTER TABLE conversations DROP COLUMN title_by;
ALTER TABLE conversations DROP COLUMN title;

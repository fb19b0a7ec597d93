-- What of remembered words had stood in the person's own messages or answers, or was written on
-- the person's page. An older build neither writes nor reads it.

-- +goose Up
ALTER TABLE memory ADD COLUMN said TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE memory DROP COLUMN said;

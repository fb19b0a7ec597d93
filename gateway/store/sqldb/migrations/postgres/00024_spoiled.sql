-- Calls whose arguments could not be read: whatever run carries them out refuses them. An older
-- build neither writes nor reads it.

-- +goose Up
ALTER TABLE tool_calls ADD COLUMN spoiled boolean NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE tool_calls DROP COLUMN spoiled;

-- Calls whose arguments could not be read: whatever run carries them out refuses them. An older
-- build neither writes nor reads it.

-- +goose Up
ALTER TABLE tool_calls ADD COLUMN spoiled INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE tool_calls DROP COLUMN spoiled;

-- Since when a node has held its lease without a gap. An older build neither writes nor reads it.

-- +goose Up
ALTER TABLE nodes ADD COLUMN held_since INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE nodes DROP COLUMN held_since;

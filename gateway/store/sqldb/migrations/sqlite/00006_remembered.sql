-- An approval may count for the tool's later calls in its chat, until it is revoked.

-- +goose Up
ALTER TABLE clarifications ADD COLUMN remembered INTEGER NOT NULL DEFAULT 0;

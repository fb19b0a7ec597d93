-- A run that resumes a turn which had ended begins with discarding the text of the step
-- that the run before had not finished.

-- +goose Up
ALTER TABLE runs ADD COLUMN discards BOOLEAN NOT NULL DEFAULT FALSE;

-- What operators ask for, over all principals: the questions that wait, oldest
-- first, and what became of those asked since a moment, read from the index alone.

-- +goose Up
CREATE INDEX clarifications_pending ON clarifications (asked_at, id) WHERE state = 'pending';
CREATE INDEX clarifications_asked ON clarifications (asked_at, app, state, answered_at);

-- +goose Down
DROP INDEX clarifications_asked;
DROP INDEX clarifications_pending;

-- What models hand out beside their text: reasoning as people are shown it, and state that goes back
-- to who made it. Each model's fit says which state is still sent. Usage also tells what was read
-- from a cache, and the reasoning.

-- +goose Up
ALTER TABLE messages ADD COLUMN thinking TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN state TEXT NOT NULL DEFAULT ''; -- JSON, '' for none
ALTER TABLE fits ADD COLUMN state_from INTEGER NOT NULL DEFAULT 0; -- position, 0 for all
ALTER TABLE fits ADD COLUMN prefix TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN turn_cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN turn_reasoning_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN reasoning_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE news ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE news ADD COLUMN reasoning_tokens INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE news DROP COLUMN reasoning_tokens;
ALTER TABLE news DROP COLUMN cached_tokens;
ALTER TABLE runs DROP COLUMN reasoning_tokens;
ALTER TABLE runs DROP COLUMN cached_tokens;
ALTER TABLE conversations DROP COLUMN turn_reasoning_tokens;
ALTER TABLE conversations DROP COLUMN turn_cached_tokens;
ALTER TABLE fits DROP COLUMN prefix;
ALTER TABLE fits DROP COLUMN state_from;
ALTER TABLE messages DROP COLUMN state;
ALTER TABLE messages DROP COLUMN made_by;
ALTER TABLE messages DROP COLUMN thinking;

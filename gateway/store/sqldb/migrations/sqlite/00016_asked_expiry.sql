-- When programs' questions expire is stored as a negative number: a build that does not know
-- them, and works beside newer ones, must not close them. Of those that are kept, it is so, too.

-- +goose Up
UPDATE clarifications SET expires_at = -expires_at WHERE asker <> '' AND expires_at > 0;
CREATE INDEX clarifications_asked_expiry ON clarifications (expires_at, id) WHERE state = 'pending' AND expires_at < 0;

-- +goose Down
DROP INDEX clarifications_asked_expiry;
UPDATE clarifications SET expires_at = -expires_at WHERE expires_at < 0;

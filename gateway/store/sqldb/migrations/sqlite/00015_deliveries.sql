-- What webhooks are to be told, written with what it tells of.

-- +goose Up
CREATE TABLE deliveries (
    seq              INTEGER PRIMARY KEY AUTOINCREMENT,
    id               TEXT    NOT NULL, -- that the receiver knows it by
    webhook          TEXT    NOT NULL, -- '' where it is only counted
    event            TEXT    NOT NULL,
    conversation_id  TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    clarification_id TEXT    NOT NULL,
    turn_id          TEXT    NOT NULL,
    finish_reason    TEXT    NOT NULL,
    unless_seen      INTEGER NOT NULL, -- whether it is dropped if a screen shows the question before it is due
    at               INTEGER NOT NULL,
    due              INTEGER NOT NULL, -- of one that is claimed: when the claim lapses
    attempts         INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_chat ON deliveries (conversation_id, webhook, seq);
CREATE INDEX deliveries_due ON deliveries (webhook, due, seq) WHERE unless_seen = FALSE;
CREATE INDEX deliveries_unseen ON deliveries (due) WHERE unless_seen = TRUE;
CREATE INDEX deliveries_at ON deliveries (webhook, at);
CREATE INDEX clarifications_undelivered ON clarifications (app, asked_at, kind) WHERE state = 'pending' AND seen_at = 0;

-- +goose Down
DROP INDEX clarifications_undelivered;
DROP TABLE deliveries;

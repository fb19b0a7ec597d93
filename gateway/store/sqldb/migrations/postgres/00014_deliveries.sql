-- What webhooks are to be told, written with what it tells of.

-- +goose Up
CREATE TABLE deliveries (
    seq              bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id               bytea    NOT NULL, -- that the receiver knows it by
    webhook          bytea    NOT NULL, -- '' where it is only counted
    event            bytea    NOT NULL,
    conversation_id  bytea    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    clarification_id bytea    NOT NULL,
    turn_id          bytea    NOT NULL,
    finish_reason    bytea    NOT NULL,
    unless_seen      boolean NOT NULL, -- whether it is dropped if a screen shows the question before it is due
    at               bigint NOT NULL,
    due              bigint NOT NULL, -- of one that is claimed: when the claim lapses
    attempts         bigint NOT NULL
);
CREATE INDEX deliveries_chat ON deliveries (conversation_id, webhook, seq);
CREATE INDEX deliveries_due ON deliveries (webhook, due, seq) WHERE unless_seen = FALSE;
CREATE INDEX deliveries_unseen ON deliveries (due) WHERE unless_seen = TRUE;
CREATE INDEX deliveries_at ON deliveries (webhook, at);
CREATE INDEX clarifications_undelivered ON clarifications (app, asked_at, kind) WHERE state = 'pending' AND seen_at = 0;

-- +goose Down
DROP INDEX clarifications_undelivered;
DROP TABLE deliveries;

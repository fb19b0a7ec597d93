-- Whom channels tell of questions, once for each question, channel and person, until the question has ended.
CREATE TABLE notices (
    seq              bigint   GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    channel          bytea NOT NULL,
    conversation_id  bytea NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    clarification_id bytea NOT NULL,
    person           bytea NOT NULL, -- a subject of the conversation's tenant
    stage            bigint NOT NULL, -- 0: the question, n: the nth reminder, -1: it has ended
    message          bytea NOT NULL, -- how the channel refers to what it sent, '' for none
    failed           boolean NOT NULL, -- whether the person could not be told
    at               bigint NOT NULL, -- when the stage was due first
    due              bigint NOT NULL, -- of one that is claimed: when the claim lapses
    attempts         bigint NOT NULL,
    stored           bigint NOT NULL
);
CREATE UNIQUE INDEX notices_question ON notices (clarification_id, channel, person);
CREATE INDEX notices_chat ON notices (conversation_id, channel, person, seq);
-- What a channel has not told a person yet, in order: it holds up what comes after it in the chat.
CREATE INDEX notices_untold ON notices (conversation_id, channel, person, seq) WHERE stage = 0 AND failed = FALSE;
CREATE INDEX notices_at ON notices (channel, at) WHERE failed = FALSE;
CREATE INDEX notices_due ON notices (channel, due, seq);

-- The channels that could tell no one of a question, with spaces between them.
ALTER TABLE clarifications ADD COLUMN not_told bytea NOT NULL DEFAULT '';

-- The email addresses that people's tokens gave, sealed.
CREATE TABLE addresses (
    tenant  bytea NOT NULL,
    subject bytea NOT NULL,
    email   bytea NOT NULL,
    PRIMARY KEY (tenant, subject)
);

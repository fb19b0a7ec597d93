-- Who tools are called for: the claims of a token that the configuration names, sealed. Kept with what will
-- call the tools, and no longer than that.
CREATE TABLE callers (
    conversation_id bytea NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    of_id           bytea NOT NULL, -- a turn, a message that is queued, or what a program asked
    tenant          bytea NOT NULL, -- whose claims they are
    subject         bytea NOT NULL,
    claims          bytea NOT NULL, -- sealed
    PRIMARY KEY (conversation_id, of_id)
);
CREATE INDEX callers_person ON callers (tenant, subject);

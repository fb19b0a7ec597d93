-- Who tools are called for: the claims of a token that the configuration names, sealed. Kept with what will
-- call the tools, and no longer than that.
CREATE TABLE callers (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    of_id           TEXT NOT NULL, -- a turn, a message that is queued, or what a program asked
    tenant          TEXT NOT NULL, -- whose claims they are
    subject         TEXT NOT NULL,
    claims          TEXT NOT NULL, -- sealed
    PRIMARY KEY (conversation_id, of_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX callers_person ON callers (tenant, subject);

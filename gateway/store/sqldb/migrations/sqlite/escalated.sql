-- The steps of a question's escalation that have happened, in their order: JSON, null for none. escalate_at is
-- when the next one is due, 0 if there is none. decided_fence is the newest run that announced a decision or
-- a step.
ALTER TABLE clarifications ADD COLUMN escalated TEXT;
ALTER TABLE clarifications ADD COLUMN escalate_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX clarifications_escalate ON clarifications (escalate_at, id) WHERE state = 'pending' AND escalate_at > 0;

-- The roles whose holders are asked since then. The question, which is sealed, says who may answer.
CREATE TABLE also_asked (
    conversation_id  TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    clarification_id TEXT    NOT NULL,
    tenant           TEXT    NOT NULL,
    role             TEXT    NOT NULL,
    asked_at         INTEGER NOT NULL,
    number           INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, clarification_id, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX also_asked_role ON also_asked (tenant, role, asked_at, number, clarification_id);

-- What several people decided about one call, in their order: JSON, null while no one has. decided_fence
-- is the newest run that announced a decision.
ALTER TABLE clarifications ADD COLUMN decisions bytea;
ALTER TABLE clarifications ADD COLUMN decided_fence bigint NOT NULL DEFAULT 0;
CREATE INDEX clarifications_decided ON clarifications (conversation_id, decided_fence) WHERE decided_fence > 0;

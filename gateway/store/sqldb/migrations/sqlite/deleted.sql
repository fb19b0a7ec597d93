-- Whether the answer was deleted by who gave it: 0 for no, -1 while no run has announced it, else the fence
-- of the run that did.
ALTER TABLE clarifications ADD COLUMN deleted_fence INTEGER NOT NULL DEFAULT 0;
CREATE INDEX clarifications_deleted ON clarifications (conversation_id, deleted_fence) WHERE deleted_fence <> 0;

-- A clarification is listed also when it is closed, by when it was asked or closed; who
-- closed it, and by what way, is null where nobody did. A draft is JSON, gone with the end.

-- +goose Up
ALTER TABLE clarifications ADD COLUMN answered_by bytea;
ALTER TABLE clarifications ADD COLUMN answered_via bytea;
ALTER TABLE clarifications ADD COLUMN draft bytea;
CREATE INDEX clarifications_changed ON clarifications
    (tenant, subject, (CASE WHEN answered_at > asked_at THEN answered_at ELSE asked_at END), id);
CREATE INDEX clarifications_changed_in_chat ON clarifications
    (tenant, subject, chat_id, (CASE WHEN answered_at > asked_at THEN answered_at ELSE asked_at END), id);

-- The audit: what happened to clarifications, as JSON. It is only added to. What is
-- about a chat goes with the chat.

-- +goose Up
CREATE TABLE audit (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id bytea REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- null: it stays
    at              bigint NOT NULL,
    app             bytea  NOT NULL,
    record          bytea  NOT NULL
);
CREATE INDEX audit_at ON audit (at, id);
CREATE INDEX audit_chat ON audit (conversation_id);
-- +goose StatementBegin
CREATE FUNCTION audit_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'records of the audit are never changed' USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_unchanged();

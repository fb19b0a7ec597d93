-- Records of the audit and heads have an HMAC beside the hash, where the gateway has a secret.
-- What is erased leaves it behind, too.

-- +goose Up
ALTER TABLE audit ADD COLUMN mac bytea;
ALTER TABLE audit_heads ADD COLUMN mac bytea;
ALTER TABLE audit_erased ADD COLUMN mac bytea;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_leaves_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM conversations WHERE id = OLD.conversation_id) THEN
        INSERT INTO audit_erased (chain, seq, id, hash, mac) VALUES (OLD.chain, OLD.seq, OLD.id, OLD.hash, OLD.mac);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

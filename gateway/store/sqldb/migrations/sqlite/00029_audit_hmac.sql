-- Records of the audit and heads have an HMAC beside the hash, where the gateway has a secret.
-- What is erased leaves it behind, too.

-- +goose Up
ALTER TABLE audit ADD COLUMN mac TEXT;
ALTER TABLE audit_heads ADD COLUMN mac TEXT;
ALTER TABLE audit_erased ADD COLUMN mac TEXT;
DROP TRIGGER audit_leaves_hash;
-- +goose StatementBegin
CREATE TRIGGER audit_leaves_hash AFTER DELETE ON audit
WHEN OLD.chain IS NOT NULL AND OLD.conversation_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM conversations WHERE id = OLD.conversation_id)
BEGIN
    INSERT INTO audit_erased (chain, seq, id, hash, mac) VALUES (OLD.chain, OLD.seq, OLD.id, OLD.hash, OLD.mac);
END;
-- +goose StatementEnd

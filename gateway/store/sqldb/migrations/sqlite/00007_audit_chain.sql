-- Records of the audit form chains: each has the hash of the one before. What is erased
-- with its chat leaves its hash behind. Records from before are in no chain.

-- +goose Up
ALTER TABLE audit ADD COLUMN chain TEXT;
ALTER TABLE audit ADD COLUMN seq INTEGER;
ALTER TABLE audit ADD COLUMN prev TEXT;
ALTER TABLE audit ADD COLUMN hash TEXT;
CREATE UNIQUE INDEX audit_chain ON audit (chain, seq) WHERE chain IS NOT NULL;
CREATE INDEX audit_unchained ON audit (id) WHERE chain IS NULL;
CREATE TABLE audit_heads ( -- the newest of each chain
    chain TEXT    NOT NULL PRIMARY KEY,
    seq   INTEGER NOT NULL,
    hash  TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE audit_erased (
    chain TEXT    NOT NULL,
    seq   INTEGER NOT NULL,
    id    INTEGER NOT NULL,
    hash  TEXT    NOT NULL,
    PRIMARY KEY (chain, seq)
) STRICT, WITHOUT ROWID;
-- +goose StatementBegin
CREATE TRIGGER audit_leaves_hash AFTER DELETE ON audit
WHEN OLD.chain IS NOT NULL AND OLD.conversation_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM conversations WHERE id = OLD.conversation_id)
BEGIN
    INSERT INTO audit_erased (chain, seq, id, hash) VALUES (OLD.chain, OLD.seq, OLD.id, OLD.hash);
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit_erased;
DROP TABLE audit_heads;

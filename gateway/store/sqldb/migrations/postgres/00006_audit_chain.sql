-- Records of the audit form chains: each has the hash of the one before. What is erased
-- with its chat leaves its hash behind. Records from before are in no chain.

-- +goose Up
ALTER TABLE audit ADD COLUMN chain bytea, ADD COLUMN seq bigint, ADD COLUMN prev bytea, ADD COLUMN hash bytea;
CREATE UNIQUE INDEX audit_chain ON audit (chain, seq) WHERE chain IS NOT NULL;
CREATE INDEX audit_unchained ON audit (id) WHERE chain IS NULL;
CREATE TABLE audit_heads ( -- the newest of each chain
    chain bytea  NOT NULL PRIMARY KEY,
    seq   bigint NOT NULL,
    hash  bytea  NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE audit_erased (
    chain bytea  NOT NULL,
    seq   bigint NOT NULL,
    id    bigint NOT NULL,
    hash  bytea  NOT NULL,
    PRIMARY KEY (chain, seq)
);
-- +goose StatementBegin
CREATE FUNCTION audit_leaves_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM conversations WHERE id = OLD.conversation_id) THEN
        INSERT INTO audit_erased (chain, seq, id, hash) VALUES (OLD.chain, OLD.seq, OLD.id, OLD.hash);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_leaves_hash AFTER DELETE ON audit FOR EACH ROW
    WHEN (OLD.chain IS NOT NULL AND OLD.conversation_id IS NOT NULL) EXECUTE FUNCTION audit_leaves_hash();

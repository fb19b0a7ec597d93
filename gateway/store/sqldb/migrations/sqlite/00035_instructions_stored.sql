-- What clients' programs say to models counts in what a principal has stored, kept by triggers as
-- in 00030_stored.sql: the rows of a new chat come before the chat's own.

-- +goose Up
INSERT INTO stored (tenant, subject, bytes)
    SELECT c.tenant, c.subject, sum(octet_length(r.content)) FROM instructions r JOIN conversations c ON c.id = r.conversation_id WHERE true GROUP BY c.tenant, c.subject
    ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
-- +goose StatementBegin
CREATE TRIGGER instructions_stored AFTER INSERT ON instructions BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, octet_length(NEW.content)
        FROM conversations c WHERE c.id = NEW.conversation_id
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER instructions_dropped AFTER DELETE ON instructions BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, -octet_length(OLD.content)
        FROM conversations c WHERE c.id = OLD.conversation_id
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER conversations_instructed AFTER INSERT ON conversations BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (NEW.tenant, NEW.subject, coalesce((SELECT sum(octet_length(r.content)) FROM instructions r WHERE r.conversation_id = NEW.id), 0))
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER conversations_uninstructed BEFORE DELETE ON conversations BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (OLD.tenant, OLD.subject, -coalesce((SELECT sum(octet_length(r.content)) FROM instructions r WHERE r.conversation_id = OLD.id), 0))
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER conversations_uninstructed;
DROP TRIGGER conversations_instructed;
DROP TRIGGER instructions_dropped;
DROP TRIGGER instructions_stored;
INSERT INTO stored (tenant, subject, bytes)
    SELECT c.tenant, c.subject, -sum(octet_length(r.content)) FROM instructions r JOIN conversations c ON c.id = r.conversation_id WHERE true GROUP BY c.tenant, c.subject
    ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;

-- What clients' programs say to models counts in what a principal has stored, kept by triggers as
-- in 00030_stored.sql: the rows of a new chat come before the chat's own.

-- +goose Up
INSERT INTO stored (tenant, subject, bytes)
    SELECT c.tenant, c.subject, sum(octet_length(r.content)) FROM instructions r JOIN conversations c ON c.id = r.conversation_id GROUP BY c.tenant, c.subject;
-- +goose StatementBegin
CREATE FUNCTION instructions_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, octet_length(NEW.content) FROM conversations c WHERE c.id = NEW.conversation_id;
    ELSE
        INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, -octet_length(OLD.content) FROM conversations c WHERE c.id = OLD.conversation_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER instructions_stored AFTER INSERT OR DELETE ON instructions FOR EACH ROW EXECUTE FUNCTION instructions_stored();
-- +goose StatementBegin
CREATE FUNCTION conversations_instructed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (NEW.tenant, NEW.subject, coalesce((SELECT sum(octet_length(r.content)) FROM instructions r WHERE r.conversation_id = NEW.id), 0));
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER conversations_instructed AFTER INSERT ON conversations FOR EACH ROW EXECUTE FUNCTION conversations_instructed();
-- +goose StatementBegin
CREATE FUNCTION conversations_uninstructed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (OLD.tenant, OLD.subject, -coalesce((SELECT sum(octet_length(r.content)) FROM instructions r WHERE r.conversation_id = OLD.id), 0));
    RETURN OLD;
END $$;
-- +goose StatementEnd
CREATE TRIGGER conversations_uninstructed BEFORE DELETE ON conversations FOR EACH ROW EXECUTE FUNCTION conversations_uninstructed();

-- +goose Down
DROP TRIGGER conversations_uninstructed ON conversations;
DROP TRIGGER conversations_instructed ON conversations;
DROP TRIGGER instructions_stored ON instructions;
DROP FUNCTION conversations_uninstructed();
DROP FUNCTION conversations_instructed();
DROP FUNCTION instructions_stored();
INSERT INTO stored (tenant, subject, bytes)
    SELECT c.tenant, c.subject, -sum(octet_length(r.content)) FROM instructions r JOIN conversations c ON c.id = r.conversation_id GROUP BY c.tenant, c.subject;

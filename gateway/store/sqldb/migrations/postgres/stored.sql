-- How much of the store each principal has, texts and files together, so that a check costs one read:
-- the sum of a principal's rows. Rows are only added, so that no two transactions wait for each other,
-- and one in 64 puts those of its principal together.
-- Triggers keep it, in the transaction that changes the rows: what the foreign keys delete counts, too.
-- What programs ask and say is their asker's. A file that forks share counts once.
CREATE TABLE stored (
    tenant  bytea  NOT NULL,
    subject bytea  NOT NULL,
    bytes   bigint NOT NULL
);
CREATE INDEX stored_principal ON stored (tenant, subject);
CREATE TABLE kept_files ( -- that are whole, and that chats have
    id      bytea  NOT NULL PRIMARY KEY,
    tenant  bytea  NOT NULL,
    subject bytea  NOT NULL,
    size    bigint NOT NULL,
    chats   bigint NOT NULL -- that have it
);
CREATE TABLE said ( -- by programs, in a chat; the texts are among its messages
    conversation_id bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    asker           bytea  NOT NULL,
    tenant          bytea  NOT NULL,
    bytes           bigint NOT NULL,
    PRIMARY KEY (conversation_id, asker)
);
CREATE FUNCTION stored_nothing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN NULL; -- no row of 0 bytes names a subject
END $$;
CREATE TRIGGER stored_nothing BEFORE INSERT ON stored FOR EACH ROW WHEN (NEW.bytes = 0) EXECUTE FUNCTION stored_nothing();
CREATE FUNCTION stored_joined() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH parts AS (SELECT ctid FROM stored WHERE tenant = NEW.tenant AND subject = NEW.subject LIMIT 1000 FOR UPDATE SKIP LOCKED),
        gone AS (DELETE FROM stored WHERE ctid = ANY (ARRAY(SELECT ctid FROM parts)) RETURNING bytes)
        INSERT INTO stored (tenant, subject, bytes) SELECT NEW.tenant, NEW.subject, sum(bytes) FROM gone HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE TRIGGER stored_joined AFTER INSERT ON stored FOR EACH ROW WHEN (pg_trigger_depth() < 2 AND random() < 1.0 / 64) EXECUTE FUNCTION stored_joined();
CREATE FUNCTION messages_stored() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE n bigint := 0; chat bytea;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        n := n - ((CASE WHEN octet_length(OLD.asked_by) = 0 THEN octet_length(OLD.content) + octet_length(OLD.thinking) + octet_length(OLD.state) ELSE 0 END));
        chat := OLD.conversation_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        n := n + (CASE WHEN octet_length(NEW.asked_by) = 0 THEN octet_length(NEW.content) + octet_length(NEW.thinking) + octet_length(NEW.state) ELSE 0 END);
        chat := NEW.conversation_id;
    END IF;
    IF n <> 0 THEN
        INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, n FROM conversations c WHERE c.id = chat;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER messages_stored AFTER INSERT OR DELETE OR UPDATE OF content, thinking, state ON messages FOR EACH ROW EXECUTE FUNCTION messages_stored();
CREATE FUNCTION tool_calls_stored() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE n bigint := 0; chat bytea;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        n := n - (octet_length(OLD.arguments) + octet_length(OLD.result) + octet_length(OLD.content));
        chat := OLD.conversation_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        n := n + octet_length(NEW.arguments) + octet_length(NEW.result) + octet_length(NEW.content);
        chat := NEW.conversation_id;
    END IF;
    IF n <> 0 THEN
        INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, n FROM conversations c WHERE c.id = chat;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tool_calls_stored AFTER INSERT OR DELETE OR UPDATE OF arguments, result, content ON tool_calls FOR EACH ROW EXECUTE FUNCTION tool_calls_stored();
CREATE FUNCTION contents_stored() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE n bigint := 0; chat bytea;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        n := n - (OLD.size);
        chat := OLD.conversation_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        n := n + NEW.size;
        chat := NEW.conversation_id;
    END IF;
    IF n <> 0 THEN
        INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, n FROM conversations c WHERE c.id = chat;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER contents_stored AFTER INSERT OR DELETE ON contents FOR EACH ROW EXECUTE FUNCTION contents_stored();
CREATE FUNCTION queue_stored() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE n bigint := 0; chat bytea;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        n := n - (octet_length(OLD.content));
        chat := OLD.conversation_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        n := n + octet_length(NEW.content);
        chat := NEW.conversation_id;
    END IF;
    IF n <> 0 THEN
        INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, n FROM conversations c WHERE c.id = chat;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER queue_stored AFTER INSERT OR DELETE ON queue FOR EACH ROW EXECUTE FUNCTION queue_stored();
CREATE FUNCTION instructions_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, octet_length(NEW.content) FROM conversations c WHERE c.id = NEW.conversation_id;
    ELSE
        INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, -octet_length(OLD.content) FROM conversations c WHERE c.id = OLD.conversation_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER instructions_stored AFTER INSERT OR DELETE ON instructions FOR EACH ROW EXECUTE FUNCTION instructions_stored();
CREATE FUNCTION clarifications_stored() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE n bigint := 0; whose bytea; who bytea;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        n := n - (octet_length(OLD.arguments) + octet_length(OLD.question) + coalesce(octet_length(OLD.answer), 0) + coalesce(octet_length(OLD.draft), 0));
        whose := OLD.tenant;
        who := CASE WHEN octet_length(OLD.asker) > 0 THEN OLD.asker ELSE OLD.subject END;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        n := n + octet_length(NEW.arguments) + octet_length(NEW.question) + coalesce(octet_length(NEW.answer), 0) + coalesce(octet_length(NEW.draft), 0);
        whose := NEW.tenant;
        who := CASE WHEN octet_length(NEW.asker) > 0 THEN NEW.asker ELSE NEW.subject END;
    END IF;
    IF n <> 0 THEN
        INSERT INTO stored (tenant, subject, bytes) VALUES (whose, who, n);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER clarifications_stored AFTER INSERT OR DELETE OR UPDATE OF arguments, question, answer, draft ON clarifications
    FOR EACH ROW EXECUTE FUNCTION clarifications_stored();
CREATE FUNCTION said_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO stored (tenant, subject, bytes) VALUES (OLD.tenant, OLD.asker, -OLD.bytes);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO stored (tenant, subject, bytes) VALUES (NEW.tenant, NEW.asker, NEW.bytes);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER said_stored AFTER INSERT OR DELETE OR UPDATE OF bytes ON said FOR EACH ROW EXECUTE FUNCTION said_stored();
-- Rows are deleted after their conversation.
CREATE FUNCTION conversations_dropped() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (OLD.tenant, OLD.subject,
        -(coalesce((SELECT sum(octet_length(r.content) + octet_length(r.thinking) + octet_length(r.state)) FROM messages r WHERE r.conversation_id = OLD.id AND octet_length(r.asked_by) = 0), 0)
        + coalesce((SELECT sum(octet_length(r.arguments) + octet_length(r.result) + octet_length(r.content)) FROM tool_calls r WHERE r.conversation_id = OLD.id), 0)
        + coalesce((SELECT sum(r.size) FROM contents r WHERE r.conversation_id = OLD.id), 0)
        + coalesce((SELECT sum(octet_length(r.content)) FROM queue r WHERE r.conversation_id = OLD.id), 0)
        + coalesce((SELECT sum(octet_length(r.content)) FROM instructions r WHERE r.conversation_id = OLD.id), 0)));
    RETURN OLD;
END $$;
CREATE TRIGGER conversations_dropped BEFORE DELETE ON conversations FOR EACH ROW EXECUTE FUNCTION conversations_dropped();
CREATE FUNCTION files_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.size >= 0 AND NEW.conversation_id IS NOT NULL THEN
            UPDATE kept_files SET chats = chats + 1 WHERE id = NEW.id;
        END IF;
    ELSIF OLD.size < 0 AND NEW.size >= 0 AND NEW.conversation_id IS NOT NULL THEN
        INSERT INTO kept_files (id, tenant, subject, size, chats) SELECT NEW.id, c.tenant, CASE WHEN substring(c.subject from 1 for 8) = '\x1f756e73656e741f'::bytea THEN substring(c.subject from 9) ELSE c.subject END, NEW.size, 1
            FROM conversations c WHERE c.id = NEW.conversation_id ON CONFLICT (id) DO UPDATE SET chats = kept_files.chats + 1;
    ELSIF OLD.size >= 0 AND OLD.conversation_id IS NOT NULL AND NEW.conversation_id IS NULL THEN
        UPDATE kept_files SET chats = chats - 1 WHERE id = OLD.id;
        DELETE FROM kept_files WHERE id = OLD.id AND chats <= 0;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER files_stored AFTER INSERT OR UPDATE OF size, conversation_id ON files FOR EACH ROW EXECUTE FUNCTION files_stored();
CREATE FUNCTION kept_files_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO stored (tenant, subject, bytes) VALUES (NEW.tenant, NEW.subject, NEW.size);
    ELSE
        INSERT INTO stored (tenant, subject, bytes) VALUES (OLD.tenant, OLD.subject, -OLD.size);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER kept_files_stored AFTER INSERT OR DELETE ON kept_files FOR EACH ROW EXECUTE FUNCTION kept_files_stored();

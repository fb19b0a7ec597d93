-- How much of the store each principal has, texts and files together, so that a check costs one read.
-- Triggers keep it, in the transaction that changes the rows: what the foreign keys delete counts, too.
-- What programs ask and say is their asker's. A file that forks share counts once.
CREATE TABLE stored (
    tenant  TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    bytes   INTEGER NOT NULL,
    PRIMARY KEY (tenant, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE kept_files ( -- that are whole, and that chats have
    id      TEXT    NOT NULL PRIMARY KEY,
    tenant  TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    size    INTEGER NOT NULL,
    chats   INTEGER NOT NULL -- that have it
) STRICT, WITHOUT ROWID;
CREATE TABLE said ( -- by programs, in a chat; the texts are among its messages
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    asker           TEXT    NOT NULL,
    tenant          TEXT    NOT NULL,
    bytes           INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, asker)
) STRICT, WITHOUT ROWID;

-- What goes last takes its row of 0 bytes along, which names a subject.
CREATE TRIGGER messages_stored AFTER INSERT ON messages WHEN octet_length(NEW.asked_by) = 0 BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, octet_length(NEW.content) + octet_length(NEW.thinking) + octet_length(NEW.state)
        FROM conversations c WHERE c.id = NEW.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER messages_changed AFTER UPDATE OF content, thinking, state ON messages WHEN octet_length(NEW.asked_by) = 0 BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, octet_length(NEW.content) + octet_length(NEW.thinking) + octet_length(NEW.state) - (octet_length(OLD.content) + octet_length(OLD.thinking) + octet_length(OLD.state))
        FROM conversations c WHERE c.id = NEW.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER messages_dropped AFTER DELETE ON messages WHEN octet_length(OLD.asked_by) = 0 BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, -(octet_length(OLD.content) + octet_length(OLD.thinking) + octet_length(OLD.state))
        FROM conversations c WHERE c.id = OLD.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER tool_calls_stored AFTER INSERT ON tool_calls BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, octet_length(NEW.arguments) + octet_length(NEW.result) + octet_length(NEW.content)
        FROM conversations c WHERE c.id = NEW.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER tool_calls_changed AFTER UPDATE OF arguments, result, content ON tool_calls BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, octet_length(NEW.arguments) + octet_length(NEW.result) + octet_length(NEW.content) - (octet_length(OLD.arguments) + octet_length(OLD.result) + octet_length(OLD.content))
        FROM conversations c WHERE c.id = NEW.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER tool_calls_dropped AFTER DELETE ON tool_calls BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, -(octet_length(OLD.arguments) + octet_length(OLD.result) + octet_length(OLD.content))
        FROM conversations c WHERE c.id = OLD.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER contents_stored AFTER INSERT ON contents BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, NEW.size
        FROM conversations c WHERE c.id = NEW.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER contents_dropped AFTER DELETE ON contents BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, -OLD.size
        FROM conversations c WHERE c.id = OLD.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER queue_stored AFTER INSERT ON queue BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, octet_length(NEW.content)
        FROM conversations c WHERE c.id = NEW.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER queue_dropped AFTER DELETE ON queue BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, -octet_length(OLD.content)
        FROM conversations c WHERE c.id = OLD.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER instructions_stored AFTER INSERT ON instructions BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, octet_length(NEW.content)
        FROM conversations c WHERE c.id = NEW.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER instructions_dropped AFTER DELETE ON instructions BEGIN
    INSERT INTO stored (tenant, subject, bytes) SELECT c.tenant, c.subject, -octet_length(OLD.content)
        FROM conversations c WHERE c.id = OLD.conversation_id ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER clarifications_stored AFTER INSERT ON clarifications BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (NEW.tenant, CASE WHEN octet_length(NEW.asker) > 0 THEN NEW.asker ELSE NEW.subject END, octet_length(NEW.arguments) + octet_length(NEW.question) + coalesce(octet_length(NEW.answer), 0) + coalesce(octet_length(NEW.draft), 0))
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER clarifications_changed_size AFTER UPDATE OF arguments, question, answer, draft ON clarifications BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (NEW.tenant, CASE WHEN octet_length(NEW.asker) > 0 THEN NEW.asker ELSE NEW.subject END, octet_length(NEW.arguments) + octet_length(NEW.question) + coalesce(octet_length(NEW.answer), 0) + coalesce(octet_length(NEW.draft), 0) - (octet_length(OLD.arguments) + octet_length(OLD.question) + coalesce(octet_length(OLD.answer), 0) + coalesce(octet_length(OLD.draft), 0)))
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER clarifications_dropped AFTER DELETE ON clarifications BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (OLD.tenant, CASE WHEN octet_length(OLD.asker) > 0 THEN OLD.asker ELSE OLD.subject END, -(octet_length(OLD.arguments) + octet_length(OLD.question) + coalesce(octet_length(OLD.answer), 0) + coalesce(octet_length(OLD.draft), 0)))
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
    DELETE FROM stored WHERE tenant = OLD.tenant AND subject = CASE WHEN octet_length(OLD.asker) > 0 THEN OLD.asker ELSE OLD.subject END AND bytes = 0;
END;
CREATE TRIGGER said_stored AFTER INSERT ON said BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (NEW.tenant, NEW.asker, NEW.bytes)
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER said_more AFTER UPDATE OF bytes ON said BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (NEW.tenant, NEW.asker, NEW.bytes - OLD.bytes)
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER said_dropped AFTER DELETE ON said BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (OLD.tenant, OLD.asker, -OLD.bytes)
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
    DELETE FROM stored WHERE tenant = OLD.tenant AND subject = OLD.asker AND bytes = 0;
END;
-- Rows are deleted after their conversation.
CREATE TRIGGER conversations_dropped BEFORE DELETE ON conversations BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (OLD.tenant, OLD.subject, -(coalesce((SELECT sum(octet_length(r.content) + octet_length(r.thinking) + octet_length(r.state)) FROM messages r WHERE r.conversation_id = OLD.id AND octet_length(r.asked_by) = 0), 0)
        + coalesce((SELECT sum(octet_length(r.arguments) + octet_length(r.result) + octet_length(r.content)) FROM tool_calls r WHERE r.conversation_id = OLD.id), 0)
        + coalesce((SELECT sum(r.size) FROM contents r WHERE r.conversation_id = OLD.id), 0)
        + coalesce((SELECT sum(octet_length(r.content)) FROM queue r WHERE r.conversation_id = OLD.id), 0)
        + coalesce((SELECT sum(octet_length(r.content)) FROM instructions r WHERE r.conversation_id = OLD.id), 0)))
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
    DELETE FROM stored WHERE tenant = OLD.tenant AND subject = OLD.subject AND bytes = 0;
END;
CREATE TRIGGER files_whole AFTER UPDATE OF size ON files WHEN OLD.size < 0 AND NEW.size >= 0 AND NEW.conversation_id IS NOT NULL BEGIN
    INSERT INTO kept_files (id, tenant, subject, size, chats) SELECT NEW.id, c.tenant, CASE WHEN substr(c.subject, 1, 8) = char(31) || 'unsent' || char(31) THEN substr(c.subject, 9) ELSE c.subject END, NEW.size, 1
        FROM conversations c WHERE c.id = NEW.conversation_id ON CONFLICT (id) DO UPDATE SET chats = chats + 1;
END;
CREATE TRIGGER files_copied AFTER INSERT ON files WHEN NEW.size >= 0 AND NEW.conversation_id IS NOT NULL BEGIN
    UPDATE kept_files SET chats = chats + 1 WHERE id = NEW.id;
END;
CREATE TRIGGER files_left AFTER UPDATE OF conversation_id ON files WHEN OLD.conversation_id IS NOT NULL AND NEW.conversation_id IS NULL AND OLD.size >= 0 BEGIN
    UPDATE kept_files SET chats = chats - 1 WHERE id = OLD.id;
    DELETE FROM kept_files WHERE id = OLD.id AND chats <= 0;
END;
CREATE TRIGGER kept_files_stored AFTER INSERT ON kept_files BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (NEW.tenant, NEW.subject, NEW.size)
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER kept_files_dropped AFTER DELETE ON kept_files BEGIN
    INSERT INTO stored (tenant, subject, bytes) VALUES (OLD.tenant, OLD.subject, -OLD.size)
        ON CONFLICT (tenant, subject) DO UPDATE SET bytes = bytes + excluded.bytes;
    DELETE FROM stored WHERE tenant = OLD.tenant AND subject = OLD.subject AND bytes = 0;
END;

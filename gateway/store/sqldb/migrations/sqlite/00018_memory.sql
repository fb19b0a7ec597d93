-- What is kept of people beyond their chats: words of their own, and answers.

-- +goose Up
CREATE TABLE memory (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    app        TEXT    NOT NULL,
    name       TEXT    NOT NULL, -- its key
    about      TEXT    NOT NULL, -- what was asked under it, '' of words
    content    TEXT    NOT NULL, -- the words, or how the answer reads
    answer     TEXT,             -- JSON, null of words
    silent     INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, -- 0 for never
    words      INTEGER NOT NULL,
    UNIQUE (tenant, subject, app, name, about)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_kept ON memory (tenant, subject, app, words, updated_at, id);
CREATE INDEX memory_listed ON memory (tenant, subject, updated_at, id);
CREATE INDEX memory_expiry ON memory (expires_at) WHERE expires_at > 0;
CREATE INDEX meters_holder ON meters (holder);

-- +goose Down
DROP INDEX meters_holder;
DROP TABLE memory;

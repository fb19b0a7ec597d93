-- What is kept of people beyond their chats: words of their own, and answers.

-- +goose Up
CREATE TABLE memory (
    id         bytea   NOT NULL,
    tenant     bytea   NOT NULL,
    subject    bytea   NOT NULL,
    app        bytea   NOT NULL,
    name       bytea   NOT NULL, -- its key
    about      bytea   NOT NULL, -- what was asked under it, '' of words
    content    bytea   NOT NULL, -- the words, or how the answer reads
    answer     bytea,            -- JSON, null of words
    silent     boolean NOT NULL,
    updated_at bigint  NOT NULL,
    expires_at bigint  NOT NULL, -- 0 for never
    words      boolean NOT NULL,
    UNIQUE (tenant, subject, app, name, about)
);
CREATE INDEX memory_kept ON memory (tenant, subject, app, words, updated_at, id);
CREATE INDEX memory_listed ON memory (tenant, subject, updated_at, id);
CREATE INDEX memory_expiry ON memory (expires_at) WHERE expires_at > 0;
ALTER TABLE memory ADD PRIMARY KEY (id); -- last: see 00001
CREATE INDEX meters_holder ON meters (holder);

-- +goose Down
DROP INDEX meters_holder;
DROP TABLE memory;

-- The marks of recent commits: each writes one, so that a node whose reply was lost can look up
-- whether its commit was made (postgrescommit.go). Kept for ten minutes. An older build writes none.

-- +goose Up
CREATE TABLE commits (
    mark bigint PRIMARY KEY,
    made boolean NOT NULL, -- false: looked up before it came, and never made
    at bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
);

-- +goose Down
DROP TABLE commits;

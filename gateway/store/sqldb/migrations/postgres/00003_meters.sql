-- What holders have used in windows of time: tokens, questions. The rows of a window
-- are dropped some time after its end.

-- +goose Up
CREATE TABLE meters (
    name    bytea  NOT NULL, -- what is counted
    holder  bytea  NOT NULL, -- whose use it is
    started bigint NOT NULL, -- the window
    ends    bigint NOT NULL,
    used    bigint NOT NULL,
    PRIMARY KEY (name, holder, started)
) WITH (fillfactor = 50); -- rows change often: their new versions find room beside them
CREATE INDEX meters_end ON meters (ends);

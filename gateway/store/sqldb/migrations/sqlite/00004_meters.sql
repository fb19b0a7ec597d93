-- What holders have used in windows of time: tokens, questions. The rows of a window
-- are dropped some time after its end.

-- +goose Up
CREATE TABLE meters (
    name    TEXT    NOT NULL, -- what is counted
    holder  TEXT    NOT NULL, -- whose use it is
    started INTEGER NOT NULL, -- the window
    ends    INTEGER NOT NULL,
    used    INTEGER NOT NULL,
    PRIMARY KEY (name, holder, started)
) STRICT, WITHOUT ROWID;
CREATE INDEX meters_end ON meters (ends);

-- +goose Down
DROP TABLE meters;

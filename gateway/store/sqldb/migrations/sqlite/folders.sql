-- What webhooks were last told of folders of documents, and what they are still to be told.
CREATE TABLE folders (
    name     TEXT    NOT NULL PRIMARY KEY, -- of the folder and the settings that determine what is read of it
    tool     TEXT    NOT NULL,
    revision INTEGER NOT NULL, -- counts up with each change
    whole    INTEGER NOT NULL, -- whether all files have been stored once
    untold   TEXT    NOT NULL, -- changes that are stored but not yet in a delivery, as package notify writes them; '' for none
    used     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX folders_used ON folders (used);

CREATE TABLE folder_files (
    folder   TEXT    NOT NULL,
    path     TEXT    NOT NULL,
    sum      TEXT    NOT NULL, -- of the content; '' for a file that was removed
    work     TEXT    NOT NULL,
    revision INTEGER NOT NULL, -- of the folder, when the row was last written
    at       INTEGER NOT NULL,
    PRIMARY KEY (folder, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX folder_files_revision ON folder_files (folder, revision, path);
CREATE INDEX folder_files_removed ON folder_files (folder, at) WHERE sum = '';

CREATE TABLE folder_deliveries (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT    NOT NULL, -- that the receiver knows it by
    webhook  TEXT    NOT NULL,
    event    TEXT    NOT NULL,
    tool     TEXT    NOT NULL,
    told     TEXT    NOT NULL, -- what is told, as package notify writes it
    at       INTEGER NOT NULL,
    due      INTEGER NOT NULL, -- of one that is claimed: when the claim lapses
    attempts INTEGER NOT NULL
) STRICT;
CREATE INDEX folder_deliveries_tool ON folder_deliveries (tool, webhook, seq);
CREATE INDEX folder_deliveries_due ON folder_deliveries (webhook, due, seq);
CREATE INDEX folder_deliveries_at ON folder_deliveries (webhook, at);

-- What webhooks were last told of folders of documents, and what they are still to be told.
CREATE TABLE folders (
    name     bytea   NOT NULL PRIMARY KEY, -- of the folder and the settings that determine what is read of it
    tool     bytea   NOT NULL,
    revision bigint  NOT NULL, -- counts up with each change
    whole    boolean NOT NULL, -- whether all files have been stored once
    untold   bytea   NOT NULL, -- changes that are stored but not yet in a delivery, as package notify writes them; '' for none
    used     bigint  NOT NULL
);
CREATE INDEX folders_used ON folders (used);

CREATE TABLE folder_files (
    folder   bytea  NOT NULL,
    path     bytea  NOT NULL,
    sum      bytea  NOT NULL, -- of the content; '' for a file that was removed
    work     bytea  NOT NULL,
    revision bigint NOT NULL, -- of the folder, when the row was last written
    at       bigint NOT NULL,
    PRIMARY KEY (folder, path)
);
CREATE INDEX folder_files_revision ON folder_files (folder, revision, path);
CREATE INDEX folder_files_removed ON folder_files (folder, at) WHERE sum = '';

CREATE TABLE folder_deliveries (
    seq      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id       bytea  NOT NULL, -- that the receiver knows it by
    webhook  bytea  NOT NULL,
    event    bytea  NOT NULL,
    tool     bytea  NOT NULL,
    told     bytea  NOT NULL, -- what is told, as package notify writes it
    at       bigint NOT NULL,
    due      bigint NOT NULL, -- of one that is claimed: when the claim lapses
    attempts bigint NOT NULL
);
CREATE INDEX folder_deliveries_tool ON folder_deliveries (tool, webhook, seq);
CREATE INDEX folder_deliveries_due ON folder_deliveries (webhook, due, seq);
CREATE INDEX folder_deliveries_at ON folder_deliveries (webhook, at);

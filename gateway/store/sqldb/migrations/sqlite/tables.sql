-- Times are milliseconds since 1970 in UTC, 0 for none. Tables are clustered by their chat (WITHOUT
-- ROWID), so that a chat is read from neighbouring pages; long texts stand last, behind what is read
-- without them. Foreign keys are deferred because a new conversation is written last, once. Of several
-- indexes that look equally good the planner takes the newest: their order counts.

-- CHATS

-- A chat with its newest turn: no older one is ever read, and a turn begins by writing one row.
CREATE TABLE conversations (
    tenant                TEXT    NOT NULL,
    subject               TEXT    NOT NULL,
    app                   TEXT    NOT NULL,
    chat_id               TEXT    NOT NULL,
    id                    TEXT    NOT NULL UNIQUE,
    language              TEXT    NOT NULL,
    title                 TEXT    NOT NULL DEFAULT '', -- where it is more than how the first message begins
    title_by              TEXT    NOT NULL DEFAULT '', -- 'person' or 'model', which may have found none
    forked_from           TEXT    NOT NULL DEFAULT '', -- JSON, '' for a chat that began by itself
    root                  TEXT    NOT NULL DEFAULT '', -- chat id of what a client forked, '' unless the chat is a branch
    used_with             TEXT    NOT NULL DEFAULT '', -- what a client's own chat is known by: a hash, '' for none
    coded                 TEXT    NOT NULL DEFAULT '', -- codes that questions went out with: of four letters, one behind the other
    ephemeral             INTEGER NOT NULL DEFAULT 0,  -- whether it is deleted when its turn is over,
    lasting               INTEGER NOT NULL DEFAULT 0,  -- or is kept for a while, for its client to come back
    fence                 INTEGER NOT NULL,            -- of the newest run, 0 for a chat with files that has not begun
    event_fence           INTEGER NOT NULL,
    event_seq             INTEGER NOT NULL,
    created_at            INTEGER NOT NULL,
    updated_at            INTEGER NOT NULL,
    written_at            INTEGER NOT NULL DEFAULT 0,
    queued                INTEGER NOT NULL DEFAULT 0,  -- how many rows of queue
    asking                INTEGER NOT NULL DEFAULT 0,  -- pending questions of programs
    unpublished           INTEGER NOT NULL DEFAULT 0,  -- whether no run has told of something yet
    turn_id               TEXT    NOT NULL DEFAULT '', -- '' before the first
    turn_state            TEXT    NOT NULL DEFAULT '',
    turn_language         TEXT    NOT NULL DEFAULT '',
    turn_interactive      INTEGER NOT NULL DEFAULT 0,
    turn_steps            INTEGER NOT NULL DEFAULT 0,
    turn_finish_reason    TEXT    NOT NULL DEFAULT '',
    turn_input_tokens     INTEGER NOT NULL DEFAULT 0,
    turn_output_tokens    INTEGER NOT NULL DEFAULT 0,
    turn_cached_tokens    INTEGER NOT NULL DEFAULT 0,
    turn_reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    turn_owner            TEXT    NOT NULL DEFAULT '', -- id of a node
    turn_started_at       INTEGER NOT NULL DEFAULT 0,
    turn_ended_at         INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, subject, app, chat_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_updated ON conversations (tenant, subject, app, updated_at, chat_id);
-- Those that run by their node, and before them, next to the newest, those that do not: a turn that begins
-- and ends changes one page.
CREATE INDEX conversations_turns ON conversations (turn_owner, app, updated_at);
CREATE INDEX conversations_ownerless ON conversations (updated_at) WHERE turn_state = 'running' AND turn_owner = '';
CREATE INDEX conversations_waiting ON conversations (updated_at) WHERE queued > 0 AND turn_state = 'ended';
CREATE INDEX conversations_ephemeral ON conversations (updated_at) WHERE ephemeral AND queued = 0 AND turn_state = 'ended';
CREATE INDEX conversations_unpublished ON conversations (updated_at) WHERE unpublished AND turn_state <> 'running';
CREATE INDEX conversations_unsent ON conversations (updated_at) WHERE fence = 0;
CREATE INDEX conversations_branches ON conversations (tenant, subject, app, root, written_at, chat_id) WHERE root <> '';

CREATE TABLE messages (
    conversation_id  TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position         INTEGER NOT NULL, -- 1.. within the conversation
    id               TEXT    NOT NULL,
    client_id        TEXT    NOT NULL DEFAULT '', -- what its client calls it: a hash, '' for none
    turn_id          TEXT    NOT NULL,
    fence            INTEGER NOT NULL,
    role             TEXT    NOT NULL,
    clarification_id TEXT    NOT NULL DEFAULT '', -- that it stands for
    created_at       INTEGER NOT NULL,
    made_by          TEXT    NOT NULL DEFAULT '', -- who made its state, and gets it back
    asked_by         TEXT    NOT NULL DEFAULT '', -- JSON, '' for what people and models said
    files            TEXT    NOT NULL DEFAULT '', -- JSON, '' for none: what is attached, in its order
    content          TEXT    NOT NULL,
    thinking         TEXT    NOT NULL DEFAULT '', -- reasoning, as people are shown it
    seq              INTEGER NOT NULL DEFAULT 0,  -- number of the event in its run with which its text ends
    spans            TEXT    NOT NULL DEFAULT '', -- JSON: how thinking and text came by turns, '' where one followed the other
    state            TEXT    NOT NULL DEFAULT '', -- JSON, '' for none: what the model handed out, for it to get back
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX messages_client ON messages (conversation_id, client_id, position) WHERE client_id <> '';

CREATE TABLE tool_calls (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    id              TEXT    NOT NULL,
    message         INTEGER NOT NULL, -- position of its message
    position        INTEGER NOT NULL, -- 0.. within the message
    name            TEXT    NOT NULL,
    spoiled         INTEGER NOT NULL DEFAULT 0, -- whether its arguments could not be read: whatever run carries it out refuses it
    started         INTEGER NOT NULL DEFAULT 0, -- fence of the run that began it
    result_fence    INTEGER,                    -- null until there is a result
    result_seq      INTEGER NOT NULL DEFAULT 0, -- number of its event in that run
    error_code      TEXT,                       -- null unless the result is an error
    error_message   TEXT    NOT NULL,
    error_reason    TEXT    NOT NULL,
    arguments       TEXT    NOT NULL,
    result          TEXT    NOT NULL,
    content         TEXT    NOT NULL DEFAULT '', -- JSON: the parts that the result shows people, '' for nothing
    PRIMARY KEY (conversation_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_calls_message ON tool_calls (conversation_id, message);

-- The bytes of what results show people: they are large, and no run reads them.
CREATE TABLE contents (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    id              TEXT    NOT NULL,
    media           TEXT    NOT NULL,
    size            INTEGER NOT NULL,
    bytes           BLOB    NOT NULL,
    PRIMARY KEY (conversation_id, id)
) STRICT;

-- The files that people upload. Their bytes are elsewhere, and are deleted before their row: what an
-- erased chat had stays here, without the chat, until they are.
CREATE TABLE files (
    seq              INTEGER PRIMARY KEY,
    conversation_id  TEXT    REFERENCES conversations (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    id               TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    type             TEXT    NOT NULL,
    size             INTEGER NOT NULL, -- -1 while it comes in
    clarification_id TEXT    NOT NULL, -- which it answers, or the message that has it; '' before
    created_at       INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX files_chat ON files (conversation_id, id);
CREATE INDEX files_id ON files (id);
CREATE INDEX files_unused ON files (created_at) WHERE clarification_id = '' AND conversation_id IS NOT NULL;

-- Messages that wait for the turn that runs.
CREATE TABLE queue (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position        INTEGER NOT NULL, -- grows within the conversation
    id              TEXT    NOT NULL,
    client_id       TEXT    NOT NULL DEFAULT '',
    language        TEXT    NOT NULL,
    interactive     INTEGER NOT NULL,
    idempotency_key TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    files           TEXT    NOT NULL DEFAULT '',
    content         TEXT    NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;

-- What programs said while a turn ran.
CREATE TABLE deferred_messages (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position        INTEGER NOT NULL, -- grows within the conversation
    id              TEXT    NOT NULL,
    content         TEXT    NOT NULL,
    asked_by        TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;

-- What ran, behind the point where a fork begins, in the chat that it was copied from.
CREATE TABLE ran (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    tool            TEXT NOT NULL,
    digest          TEXT NOT NULL, -- of the tool's name and the arguments
    PRIMARY KEY (conversation_id, tool, digest)
) STRICT, WITHOUT ROWID;

-- TURNS

-- Messages between nodes, about calls that one of them holds open. Each is taken once.
CREATE TABLE relayed (
    key        TEXT    NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL,
    message    BLOB    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX relayed_expires ON relayed (expires_at);

CREATE TABLE nodes (
    id          TEXT    NOT NULL PRIMARY KEY,
    lease_until INTEGER NOT NULL,
    held_since  INTEGER NOT NULL DEFAULT 0, -- since when without a gap
    lapsed      INTEGER NOT NULL            -- whether its leases were not held when the last heartbeat came
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    conversation_id  TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    fence            INTEGER NOT NULL,
    turn_id          TEXT    NOT NULL,
    resumed          INTEGER NOT NULL,
    discards         INTEGER NOT NULL DEFAULT 0, -- whether it begins with discarding the text of a step that was not finished
    delivered        INTEGER NOT NULL DEFAULT 0, -- whether its response reached its client whole
    finish_reason    TEXT    NOT NULL,
    failure          TEXT, -- JSON, null where it ended well
    input_tokens     INTEGER NOT NULL,
    output_tokens    INTEGER NOT NULL,
    cached_tokens    INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    last_seq         INTEGER NOT NULL,
    started_at       INTEGER NOT NULL,
    ended_at         INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, fence)
) STRICT, WITHOUT ROWID;

-- What of a chat each model is sent.
CREATE TABLE fits (
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    model           TEXT    NOT NULL, -- its name in the configuration
    settings        TEXT    NOT NULL,
    first_message   INTEGER NOT NULL,           -- position, 0 for all
    max_bytes       INTEGER NOT NULL,           -- 0 for none
    per_mille       INTEGER NOT NULL,           -- 0 if unknown
    state_from      INTEGER NOT NULL DEFAULT 0, -- position, 0 for all: which state is still sent
    prefix          TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (conversation_id, model)
) STRICT, WITHOUT ROWID;

-- What the prompts of a chat's newest turn begin with, so that each request of the turn begins alike on
-- every node.
CREATE TABLE bases (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    turn_id         TEXT NOT NULL,
    content         TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

-- The tools that the client of a chat's newest turn brought with its newest request, so that each later
-- request of the turn offers them, on every node.
CREATE TABLE client_tools (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    turn_id         TEXT NOT NULL,
    content         TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

-- What a client's program says to the model with a message: kept until the next turn of its chat begins.
CREATE TABLE instructions (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    message_id      TEXT NOT NULL, -- of a message, or of one that is queued
    content         TEXT NOT NULL,
    PRIMARY KEY (conversation_id, message_id)
) STRICT, WITHOUT ROWID;

-- Idempotency keys: of people in a chat, whose id is the scope, and of programs that ask in an app.
CREATE TABLE keys (
    scope           TEXT    NOT NULL, -- of a program's: tenant, subject and app
    key             TEXT    NOT NULL,
    hash            TEXT    NOT NULL,
    fence           INTEGER NOT NULL, -- of the run that it began
    of_id           TEXT    NOT NULL, -- a message that is queued, or what was asked
    created_at      INTEGER NOT NULL,
    conversation_id TEXT    REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- of a program's, else null
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_chat ON keys (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX keys_old ON keys (created_at) WHERE conversation_id IS NOT NULL;
CREATE TRIGGER keys_dropped AFTER DELETE ON conversations BEGIN
    DELETE FROM keys WHERE scope = OLD.id;
END;

-- QUESTIONS

-- What models, tools and programs ask people, open and closed.
CREATE TABLE clarifications (
    id              TEXT    NOT NULL PRIMARY KEY,
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    tenant          TEXT    NOT NULL,
    subject         TEXT    NOT NULL,
    app             TEXT    NOT NULL,
    chat_id         TEXT    NOT NULL,
    turn_id         TEXT    NOT NULL,
    tool_call_id    TEXT    NOT NULL,
    tool_name       TEXT    NOT NULL,
    kind            TEXT    NOT NULL,
    number          INTEGER NOT NULL,
    max             INTEGER NOT NULL,
    asker           TEXT    NOT NULL DEFAULT '', -- subject of the program that asked, '' for a model
    for_role        TEXT    NOT NULL DEFAULT '', -- whose holders answer, '' for the owner
    state           TEXT    NOT NULL,
    remembered      INTEGER NOT NULL DEFAULT 0, -- whether an approval counts for later calls, until it is revoked
    asked_fence     INTEGER NOT NULL,
    done_fence      INTEGER NOT NULL,
    asked_at        INTEGER NOT NULL,
    answered_at     INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    seen_at         INTEGER NOT NULL DEFAULT 0, -- when a screen first showed it
    answered_by     TEXT,                       -- who closed it, and by what way: null if it was not closed by anybody
    answered_via    TEXT,
    answered_as     TEXT    NOT NULL DEFAULT '', -- a hash of what clients know the message by that answered
    -- What the report counts by, so that a million rows are counted out of one index.
    template        TEXT    NOT NULL DEFAULT '', -- of the parts, '' for none
    shape           TEXT    NOT NULL,            -- of what no template asks, '' where one does
    model           TEXT    NOT NULL DEFAULT '', -- name in the configuration, '' for a program's
    marks           INTEGER NOT NULL DEFAULT 0,  -- bits, see describe.go
    took            INTEGER,                     -- ms until a person answered, skipped or declined
    choice          INTEGER,                     -- a hash of what was answered
    arguments       TEXT    NOT NULL,
    question        TEXT    NOT NULL, -- JSON
    answer          TEXT,             -- JSON, null unless answered
    draft           TEXT              -- JSON, gone with the end
) STRICT, WITHOUT ROWID;
CREATE INDEX clarifications_report ON clarifications (app, template, shape, model, state, marks, took, asked_at, seen_at)
    WHERE kind = 'question';
CREATE INDEX clarifications_chat ON clarifications (conversation_id, number, id);
CREATE INDEX clarifications_subject ON clarifications (tenant, subject, asked_at, number, id) WHERE state = 'pending';
CREATE INDEX clarifications_app ON clarifications (app, asked_at) WHERE state = 'pending';
CREATE INDEX clarifications_expiry ON clarifications (expires_at, id) WHERE state = 'pending' AND expires_at > 0;
CREATE INDEX clarifications_pending ON clarifications (asked_at, id) WHERE state = 'pending';
CREATE INDEX clarifications_changed ON clarifications
    (tenant, subject, (CASE WHEN answered_at > asked_at THEN answered_at ELSE asked_at END), id);
CREATE INDEX clarifications_changed_in_chat ON clarifications
    (tenant, subject, chat_id, (CASE WHEN answered_at > asked_at THEN answered_at ELSE asked_at END), id);
CREATE INDEX clarifications_turn ON clarifications (conversation_id, turn_id);
CREATE INDEX clarifications_open ON clarifications (conversation_id, number, id) WHERE state = 'pending';
CREATE INDEX clarifications_remembered ON clarifications (conversation_id, number, id) WHERE remembered = TRUE;
-- Chats in which programs ask may have any number of closed ones.
CREATE INDEX clarifications_turns ON clarifications (conversation_id, number, id) WHERE asker = '';
CREATE INDEX clarifications_role ON clarifications (tenant, for_role, asked_at, number, id) WHERE state = 'pending' AND for_role <> '';
CREATE INDEX clarifications_undelivered ON clarifications (app, asked_at, kind) WHERE state = 'pending' AND seen_at = 0;
CREATE INDEX clarifications_choices ON clarifications (tenant, subject, app, template, shape, answered_at, choice) WHERE choice IS NOT NULL;
CREATE INDEX clarifications_asked ON clarifications (asked_at, app, state, answered_at, marks);
-- By the call, by the runs that asked and announced them, and what waits of an asker for one person or role.
CREATE INDEX clarifications_call ON clarifications (conversation_id, tool_call_id) WHERE tool_call_id <> '';
CREATE INDEX clarifications_fence ON clarifications (conversation_id, asked_fence, number, id) WHERE asked_fence > 0;
CREATE INDEX clarifications_done ON clarifications (conversation_id, done_fence) WHERE done_fence > 0;
CREATE INDEX clarifications_answered_as ON clarifications (conversation_id, answered_as, done_fence) WHERE answered_as <> '';
CREATE INDEX clarifications_undone ON clarifications (conversation_id) WHERE done_fence = 0;
CREATE INDEX clarifications_from ON clarifications (tenant, subject, for_role, asker) WHERE state = 'pending';

-- What was stored that people, and the programs that ask them, want to hear of: for a day.
CREATE TABLE news (
    id               INTEGER NOT NULL PRIMARY KEY,
    at               INTEGER NOT NULL,
    tenant           TEXT    NOT NULL,
    subject          TEXT    NOT NULL,
    app              TEXT    NOT NULL,
    chat_id          TEXT    NOT NULL,
    conversation_id  TEXT    NOT NULL,
    role             TEXT    NOT NULL, -- who is asked, '' for the subject
    asker            TEXT    NOT NULL, -- the subject of the program that asked, '' for a model
    type             TEXT    NOT NULL,
    clarification_id TEXT    NOT NULL,
    turn_id          TEXT    NOT NULL,
    message_id       TEXT    NOT NULL,
    finish_reason    TEXT    NOT NULL,
    input_tokens     INTEGER NOT NULL,
    output_tokens    INTEGER NOT NULL,
    cached_tokens    INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX news_subject ON news (tenant, subject, id);
CREATE INDEX news_role ON news (tenant, role, id) WHERE role <> '';
CREATE INDEX news_asker ON news (tenant, asker, id) WHERE asker <> '';

-- What webhooks are to be told, written with what it tells of.
CREATE TABLE deliveries (
    seq              INTEGER PRIMARY KEY AUTOINCREMENT,
    id               TEXT    NOT NULL, -- that the receiver knows it by
    webhook          TEXT    NOT NULL, -- '' where it is only counted
    event            TEXT    NOT NULL,
    conversation_id  TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    clarification_id TEXT    NOT NULL,
    turn_id          TEXT    NOT NULL,
    finish_reason    TEXT    NOT NULL,
    unless_seen      INTEGER NOT NULL, -- whether it is dropped if a screen shows the question before it is due
    at               INTEGER NOT NULL,
    due              INTEGER NOT NULL, -- of one that is claimed: when the claim lapses
    attempts         INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_chat ON deliveries (conversation_id, webhook, seq);
CREATE INDEX deliveries_due ON deliveries (webhook, due, seq) WHERE unless_seen = FALSE;
CREATE INDEX deliveries_unseen ON deliveries (due) WHERE unless_seen = TRUE;
CREATE INDEX deliveries_at ON deliveries (webhook, at);

-- PEOPLE

-- What is kept of people beyond their chats: words of their own, and answers.
CREATE TABLE memory (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    app        TEXT    NOT NULL,
    name       TEXT    NOT NULL,            -- its key
    about      TEXT    NOT NULL,            -- what was asked under it, '' of words
    content    TEXT    NOT NULL,            -- the words, or how the answer reads
    said       TEXT    NOT NULL DEFAULT '', -- what of the words had stood in the person's own, or was written on the person's page
    answer     TEXT,                        -- JSON, null of words
    silent     INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, -- 0 for never
    words      INTEGER NOT NULL,
    UNIQUE (tenant, subject, app, name, about)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_kept ON memory (tenant, subject, app, words, updated_at, id);
CREATE INDEX memory_listed ON memory (tenant, subject, updated_at, id);
CREATE INDEX memory_expiry ON memory (expires_at) WHERE expires_at > 0;

-- What holders have used in windows of time: tokens, questions. The rows of a window are dropped some
-- time after its end.
CREATE TABLE meters (
    name    TEXT    NOT NULL, -- what is counted
    holder  TEXT    NOT NULL, -- whose use it is
    started INTEGER NOT NULL, -- the window
    ends    INTEGER NOT NULL,
    used    INTEGER NOT NULL,
    PRIMARY KEY (name, holder, started)
) STRICT, WITHOUT ROWID;
CREATE INDEX meters_end ON meters (ends);
CREATE INDEX meters_holder ON meters (holder);

-- THE AUDIT

-- What happened to clarifications, as JSON. It is only added to; what is about a chat goes with the chat.
-- Records form chains: each has the hash of the one before.
CREATE TABLE audit (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,                                                  -- never used again
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- null: it stays
    at              INTEGER NOT NULL,
    app             TEXT    NOT NULL,
    record          TEXT    NOT NULL,
    chain           TEXT, -- never null, but in what others wrote: that is read, and named as broken
    seq             INTEGER,
    prev            TEXT,
    hash            TEXT,
    mac             TEXT -- null where the gateway has no secret
) STRICT;
CREATE INDEX audit_at ON audit (at, id);
CREATE INDEX audit_chat ON audit (conversation_id);
CREATE UNIQUE INDEX audit_chain ON audit (chain, seq) WHERE chain IS NOT NULL;
CREATE INDEX audit_unchained ON audit (id) WHERE chain IS NULL;
CREATE TABLE audit_heads ( -- the newest of each chain
    chain TEXT    NOT NULL PRIMARY KEY,
    seq   INTEGER NOT NULL,
    hash  TEXT    NOT NULL,
    mac   TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE audit_erased ( -- what records leave behind that are erased with their chat
    chain TEXT    NOT NULL,
    seq   INTEGER NOT NULL,
    id    INTEGER NOT NULL,
    hash  TEXT    NOT NULL,
    mac   TEXT,
    PRIMARY KEY (chain, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'records of the audit are never changed');
END;
CREATE TRIGGER audit_leaves_hash AFTER DELETE ON audit
WHEN OLD.chain IS NOT NULL AND OLD.conversation_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM conversations WHERE id = OLD.conversation_id)
BEGIN
    INSERT INTO audit_erased (chain, seq, id, hash, mac) VALUES (OLD.chain, OLD.seq, OLD.id, OLD.hash, OLD.mac);
END;

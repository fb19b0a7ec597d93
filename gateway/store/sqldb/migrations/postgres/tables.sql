-- Times are milliseconds since 1970 in UTC, 0 for none. Texts are bytea: PostgreSQL's own text cannot
-- hold NUL, and bytes sort alike in every locale; convert_from(content, 'UTF8') shows one. Foreign keys
-- are deferred because fn of an Update may look, and have what it wrote sent, before a new conversation
-- is written. Of indexes that look equally good the planner takes the newest: so keys of tables with many
-- come last, where a table without statistics would be read by another.

-- A chat with its newest turn: no older one is ever read, and a turn begins by writing one row.
CREATE TABLE conversations (
    tenant                bytea   NOT NULL,
    subject               bytea   NOT NULL,
    app                   bytea   NOT NULL,
    chat_id               bytea   NOT NULL,
    id                    bytea   NOT NULL UNIQUE,
    language              bytea   NOT NULL,
    title                 bytea   NOT NULL DEFAULT '',    -- where it is more than how the first message begins
    title_by              bytea   NOT NULL DEFAULT '',    -- 'person' or 'model', which may have found none
    forked_from           bytea   NOT NULL DEFAULT '',    -- JSON, '' for a chat that began by itself
    root                  bytea   NOT NULL DEFAULT '',    -- chat id of what a client forked, '' unless the chat is a branch
    used_with             bytea   NOT NULL DEFAULT '',    -- what a client's own chat is known by: a hash, '' for none
    coded                 bytea   NOT NULL DEFAULT '',    -- codes that questions went out with: of four letters, one behind the other
    ephemeral             boolean NOT NULL DEFAULT FALSE, -- whether it is deleted when its turn is over,
    lasting               boolean NOT NULL DEFAULT FALSE, -- or is kept for a while, for its client to come back
    fence                 bigint  NOT NULL,               -- of the newest run, 0 for a chat with files that has not begun
    event_fence           bigint  NOT NULL,
    event_seq             bigint  NOT NULL,
    created_at            bigint  NOT NULL,
    updated_at            bigint  NOT NULL,
    written_at            bigint  NOT NULL DEFAULT 0,
    queued                bigint  NOT NULL,               -- how many rows of queue
    asking                bigint  NOT NULL DEFAULT 0,     -- pending questions of programs
    unpublished           boolean NOT NULL DEFAULT FALSE, -- whether no run has told of something yet
    turn_id               bytea   NOT NULL,               -- '' before the first
    turn_state            bytea   NOT NULL,
    turn_language         bytea   NOT NULL,
    turn_interactive      boolean NOT NULL,
    turn_steps            bigint  NOT NULL,
    turn_finish_reason    bytea   NOT NULL,
    turn_input_tokens     bigint  NOT NULL,
    turn_output_tokens    bigint  NOT NULL,
    turn_cached_tokens    bigint  NOT NULL DEFAULT 0,
    turn_reasoning_tokens bigint  NOT NULL DEFAULT 0,
    turn_owner            bytea   NOT NULL, -- id of a node
    turn_started_at       bigint  NOT NULL,
    turn_ended_at         bigint  NOT NULL
);
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
ALTER TABLE conversations ADD PRIMARY KEY (tenant, subject, app, chat_id);

CREATE TABLE messages (
    conversation_id  bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position         bigint NOT NULL, -- 1.. within the conversation
    id               bytea  NOT NULL,
    client_id        bytea  NOT NULL DEFAULT '', -- what its client calls it: a hash, '' for none
    turn_id          bytea  NOT NULL,
    fence            bigint NOT NULL,
    role             bytea  NOT NULL,
    clarification_id bytea  NOT NULL DEFAULT '', -- that it stands for
    created_at       bigint NOT NULL,
    made_by          bytea  NOT NULL DEFAULT '', -- who made its state, and gets it back
    asked_by         bytea  NOT NULL DEFAULT '', -- JSON, '' for what people and models said
    files            bytea  NOT NULL DEFAULT '', -- JSON, '' for none: what is attached, in its order
    content          bytea  NOT NULL,
    thinking         bytea  NOT NULL DEFAULT '', -- reasoning, as people are shown it
    seq              bigint NOT NULL DEFAULT 0,  -- number of the event in its run with which its text ends
    spans            bytea  NOT NULL DEFAULT '', -- JSON: how thinking and text came by turns, '' where one followed the other
    state            bytea  NOT NULL DEFAULT '', -- JSON, '' for none: what the model handed out, for it to get back
    PRIMARY KEY (conversation_id, position)
);
CREATE INDEX messages_client ON messages (conversation_id, client_id, position) WHERE client_id <> '';

CREATE TABLE tool_calls (
    conversation_id bytea   NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    id              bytea   NOT NULL,
    message         bigint  NOT NULL, -- position of its message
    position        bigint  NOT NULL, -- 0.. within the message
    name            bytea   NOT NULL,
    spoiled         boolean NOT NULL DEFAULT FALSE, -- whether its arguments could not be read: whatever run carries it out refuses it
    started         bigint  NOT NULL,               -- fence of the run that began it
    result_fence    bigint,                         -- null until there is a result
    result_seq      bigint  NOT NULL DEFAULT 0,     -- number of its event in that run
    error_code      bytea,                          -- null unless the result is an error
    error_message   bytea   NOT NULL,
    error_reason    bytea   NOT NULL,
    arguments       bytea   NOT NULL,
    result          bytea   NOT NULL,
    content         bytea   NOT NULL DEFAULT '', -- JSON: the parts that the result shows people, '' for nothing
    PRIMARY KEY (conversation_id, id)
);
CREATE INDEX tool_calls_message ON tool_calls (conversation_id, message);

-- The bytes of what results show people: they are large, and no run reads them.
CREATE TABLE contents (
    conversation_id bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    id              bytea  NOT NULL,
    media           bytea  NOT NULL,
    size            bigint NOT NULL,
    bytes           bytea  NOT NULL,
    PRIMARY KEY (conversation_id, id)
);

-- The files that people upload. Their bytes are elsewhere, and are deleted before their row: what an
-- erased chat had stays here, without the chat, until they are.
CREATE TABLE files (
    seq              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id  bytea  REFERENCES conversations (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    id               bytea  NOT NULL,
    name             bytea  NOT NULL,
    type             bytea  NOT NULL,
    size             bigint NOT NULL, -- -1 while it comes in
    clarification_id bytea  NOT NULL, -- which it answers, or the message that has it; '' before
    created_at       bigint NOT NULL
);
CREATE UNIQUE INDEX files_chat ON files (conversation_id, id);
CREATE INDEX files_id ON files (id);
CREATE INDEX files_unused ON files (created_at) WHERE clarification_id = '' AND conversation_id IS NOT NULL;

-- Messages that wait for the turn that runs.
CREATE TABLE queue (
    conversation_id bytea   NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position        bigint  NOT NULL, -- grows within the conversation
    id              bytea   NOT NULL,
    client_id       bytea   NOT NULL DEFAULT '',
    language        bytea   NOT NULL,
    interactive     boolean NOT NULL,
    idempotency_key bytea   NOT NULL,
    created_at      bigint  NOT NULL,
    files           bytea   NOT NULL DEFAULT '',
    content         bytea   NOT NULL,
    PRIMARY KEY (conversation_id, position)
);

-- What programs said while a turn ran.
CREATE TABLE deferred_messages (
    conversation_id bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position        bigint NOT NULL, -- grows within the conversation
    id              bytea  NOT NULL,
    content         bytea  NOT NULL,
    asked_by        bytea  NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (conversation_id, position)
);

-- What ran, behind the point where a fork begins, in the chat that it was copied from.
CREATE TABLE ran (
    conversation_id bytea NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    tool            bytea NOT NULL,
    digest          bytea NOT NULL, -- of the tool's name and the arguments
    PRIMARY KEY (conversation_id, tool, digest)
);

-- TURNS

-- Messages between nodes, about calls that one of them holds open. Each is taken once.
CREATE TABLE relayed (
    key        text   NOT NULL PRIMARY KEY,
    expires_at bigint NOT NULL,
    message    bytea  NOT NULL
);
CREATE INDEX relayed_expires ON relayed (expires_at);

CREATE TABLE nodes (
    id          bytea   NOT NULL PRIMARY KEY,
    lease_until bigint  NOT NULL,
    held_since  bigint  NOT NULL DEFAULT 0, -- since when without a gap
    lapsed      boolean NOT NULL            -- whether its leases were not held when the last heartbeat came
);

CREATE TABLE runs (
    conversation_id  bytea   NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    fence            bigint  NOT NULL,
    turn_id          bytea   NOT NULL,
    resumed          boolean NOT NULL,
    discards         boolean NOT NULL DEFAULT FALSE, -- whether it begins with discarding the text of a step that was not finished
    delivered        boolean NOT NULL DEFAULT FALSE, -- whether its response reached its client whole
    finish_reason    bytea   NOT NULL,
    failure          bytea, -- JSON, null where it ended well
    input_tokens     bigint  NOT NULL,
    output_tokens    bigint  NOT NULL,
    cached_tokens    bigint  NOT NULL DEFAULT 0,
    reasoning_tokens bigint  NOT NULL DEFAULT 0,
    last_seq         bigint  NOT NULL,
    started_at       bigint  NOT NULL,
    ended_at         bigint  NOT NULL,
    PRIMARY KEY (conversation_id, fence)
);

-- The marks of recent commits: each writes one, so that a node whose reply was lost can look up whether
-- its commit was made (postgrescommit.go). Kept for ten minutes.
CREATE TABLE commits (
    mark bigint  PRIMARY KEY,
    made boolean NOT NULL, -- false: looked up before it came, and never made
    at   bigint  NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
);

-- What of a chat each model is sent.
CREATE TABLE fits (
    conversation_id bytea  NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    model           bytea  NOT NULL, -- its name in the configuration
    settings        bytea  NOT NULL,
    first_message   bigint NOT NULL,           -- position, 0 for all
    max_bytes       bigint NOT NULL,           -- 0 for none
    per_mille       bigint NOT NULL,           -- 0 if unknown
    state_from      bigint NOT NULL DEFAULT 0, -- position, 0 for all: which state is still sent
    prefix          bytea  NOT NULL DEFAULT '',
    PRIMARY KEY (conversation_id, model)
);

-- What the prompts of a chat's newest turn begin with, so that each request of the turn begins alike on
-- every node.
CREATE TABLE bases (
    conversation_id bytea PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    turn_id         bytea NOT NULL,
    content         bytea NOT NULL -- JSON
);

-- The tools that the client of a chat's newest turn brought with its newest request, so that each later
-- request of the turn offers them, on every node.
CREATE TABLE client_tools (
    conversation_id bytea PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    turn_id         bytea NOT NULL,
    content         bytea NOT NULL -- JSON
);

-- What a client's program says to the model with a message: kept until the next turn of its chat begins.
CREATE TABLE instructions (
    conversation_id bytea NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    message_id      bytea NOT NULL, -- of a message, or of one that is queued
    content         bytea NOT NULL,
    PRIMARY KEY (conversation_id, message_id)
);

-- Idempotency keys: of people in a chat, whose id is the scope, and of programs that ask in an app.
CREATE TABLE keys (
    scope           bytea  NOT NULL, -- of a program's: tenant, subject and app
    key             bytea  NOT NULL,
    hash            bytea  NOT NULL,
    fence           bigint NOT NULL, -- of the run that it began
    of_id           bytea  NOT NULL, -- a message that is queued, or what was asked
    created_at      bigint NOT NULL,
    conversation_id bytea  REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- of a program's, else null
    PRIMARY KEY (scope, key)
);
CREATE INDEX keys_chat ON keys (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX keys_old ON keys (created_at) WHERE conversation_id IS NOT NULL;
CREATE FUNCTION keys_dropped() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM keys WHERE scope = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER keys_dropped AFTER DELETE ON conversations FOR EACH ROW EXECUTE FUNCTION keys_dropped();

-- QUESTIONS

-- What models, tools and programs ask people, open and closed.
CREATE TABLE clarifications (
    id              bytea   NOT NULL,
    conversation_id bytea   NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    tenant          bytea   NOT NULL,
    subject         bytea   NOT NULL,
    app             bytea   NOT NULL,
    chat_id         bytea   NOT NULL,
    turn_id         bytea   NOT NULL,
    tool_call_id    bytea   NOT NULL,
    tool_name       bytea   NOT NULL,
    kind            bytea   NOT NULL,
    number          bigint  NOT NULL,
    max             bigint  NOT NULL,
    asker           bytea   NOT NULL DEFAULT '', -- subject of the program that asked, '' for a model
    for_role        bytea   NOT NULL DEFAULT '', -- whose holders answer, '' for the owner
    state           bytea   NOT NULL,
    remembered      boolean NOT NULL DEFAULT FALSE, -- whether an approval counts for later calls, until it is revoked
    asked_fence     bigint  NOT NULL,
    done_fence      bigint  NOT NULL,
    asked_at        bigint  NOT NULL,
    answered_at     bigint  NOT NULL,
    expires_at      bigint  NOT NULL,
    seen_at         bigint  NOT NULL DEFAULT 0, -- when a screen first showed it
    answered_by     bytea,                      -- who closed it, and by what way: null if it was not closed by anybody
    answered_via    bytea,
    answered_as     bytea   NOT NULL DEFAULT '', -- a hash of what clients know the message by that answered
    -- What the report counts by, so that a million rows are counted out of one index.
    template        bytea   NOT NULL DEFAULT '', -- of the parts, '' for none
    shape           bytea   NOT NULL,            -- of what no template asks, '' where one does
    model           bytea   NOT NULL DEFAULT '', -- name in the configuration, '' for a program's
    marks           bigint  NOT NULL DEFAULT 0,  -- bits, see describe.go
    took            bigint,                      -- ms until a person answered, skipped or declined
    choice          bigint,                      -- a hash of what was answered
    arguments       bytea   NOT NULL,
    question        bytea   NOT NULL, -- JSON
    answer          bytea,            -- JSON, null unless answered
    draft           bytea             -- JSON, gone with the end
);
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
CREATE INDEX clarifications_remembered ON clarifications (conversation_id, number, id) WHERE remembered;
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
ALTER TABLE clarifications ADD PRIMARY KEY (id);

-- Stored events that people, and the programs that ask them, are told about; kept for a day. The id contains the
-- number of a transaction. In a database copied from another server that number may be larger, so the id is
-- not a key.
CREATE TABLE news (
    id               bigint NOT NULL,
    at               bigint NOT NULL,
    tenant           bytea  NOT NULL,
    subject          bytea  NOT NULL,
    app              bytea  NOT NULL,
    chat_id          bytea  NOT NULL,
    conversation_id  bytea  NOT NULL,
    role             bytea  NOT NULL, -- who is asked, '' for the subject
    asker            bytea  NOT NULL, -- the subject of the program that asked, '' for a model
    type             bytea  NOT NULL,
    clarification_id bytea  NOT NULL,
    turn_id          bytea  NOT NULL,
    message_id       bytea  NOT NULL,
    finish_reason    bytea  NOT NULL,
    input_tokens     bigint NOT NULL,
    output_tokens    bigint NOT NULL,
    cached_tokens    bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0
);
CREATE INDEX news_id ON news (id);
CREATE INDEX news_subject ON news (tenant, subject, id);
CREATE INDEX news_role ON news (tenant, role, id) WHERE role <> '';
CREATE INDEX news_asker ON news (tenant, asker, id) WHERE asker <> '';

-- What webhooks are to be told, written with what it tells of.
CREATE TABLE deliveries (
    seq              bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id               bytea   NOT NULL, -- that the receiver knows it by
    webhook          bytea   NOT NULL, -- '' where it is only counted
    event            bytea   NOT NULL,
    conversation_id  bytea   NOT NULL REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    clarification_id bytea   NOT NULL,
    turn_id          bytea   NOT NULL,
    finish_reason    bytea   NOT NULL,
    unless_seen      boolean NOT NULL, -- whether it is dropped if a screen shows the question before it is due
    at               bigint  NOT NULL,
    due              bigint  NOT NULL, -- of one that is claimed: when the claim lapses
    attempts         bigint  NOT NULL
);
CREATE INDEX deliveries_chat ON deliveries (conversation_id, webhook, seq);
CREATE INDEX deliveries_due ON deliveries (webhook, due, seq) WHERE unless_seen = FALSE;
CREATE INDEX deliveries_unseen ON deliveries (due) WHERE unless_seen = TRUE;
CREATE INDEX deliveries_at ON deliveries (webhook, at);

-- PEOPLE

-- What is kept of people beyond their chats: words of their own, and answers.
CREATE TABLE memory (
    id         bytea   NOT NULL,
    tenant     bytea   NOT NULL,
    subject    bytea   NOT NULL,
    app        bytea   NOT NULL,
    name       bytea   NOT NULL,            -- its key
    about      bytea   NOT NULL,            -- what was asked under it, '' of words
    content    bytea   NOT NULL,            -- the words, or how the answer reads
    said       bytea   NOT NULL DEFAULT '', -- what of the words had stood in the person's own, or was written on the person's page
    answer     bytea,                       -- JSON, null of words
    silent     boolean NOT NULL,
    updated_at bigint  NOT NULL,
    expires_at bigint  NOT NULL, -- 0 for never
    words      boolean NOT NULL,
    UNIQUE (tenant, subject, app, name, about)
);
CREATE INDEX memory_kept ON memory (tenant, subject, app, words, updated_at, id);
CREATE INDEX memory_listed ON memory (tenant, subject, updated_at, id);
CREATE INDEX memory_expiry ON memory (expires_at) WHERE expires_at > 0;
ALTER TABLE memory ADD PRIMARY KEY (id);

-- What holders have used in windows of time: tokens, questions. The rows of a window are dropped some
-- time after its end.
CREATE TABLE meters (
    name    bytea  NOT NULL, -- what is counted
    holder  bytea  NOT NULL, -- whose use it is
    started bigint NOT NULL, -- the window
    ends    bigint NOT NULL,
    used    bigint NOT NULL,
    PRIMARY KEY (name, holder, started)
) WITH (fillfactor = 50); -- rows change often: their new versions find room beside them
CREATE INDEX meters_end ON meters (ends);
CREATE INDEX meters_holder ON meters (holder);

-- THE AUDIT

-- What happened to clarifications, as JSON. It is only added to; what is about a chat goes with the chat.
-- Records form chains: each has the hash of the one before.
CREATE TABLE audit (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id bytea  REFERENCES conversations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- null: it stays
    at              bigint NOT NULL,
    app             bytea  NOT NULL,
    record          bytea  NOT NULL,
    chain           bytea, -- never null, but in what others wrote: that is read, and named as broken
    seq             bigint,
    prev            bytea,
    hash            bytea,
    mac             bytea -- null where the gateway has no secret
);
CREATE INDEX audit_at ON audit (at, id);
CREATE INDEX audit_chat ON audit (conversation_id);
CREATE UNIQUE INDEX audit_chain ON audit (chain, seq) WHERE chain IS NOT NULL;
CREATE INDEX audit_unchained ON audit (id) WHERE chain IS NULL;
CREATE TABLE audit_heads ( -- the newest of each chain
    chain bytea  NOT NULL PRIMARY KEY,
    seq   bigint NOT NULL,
    hash  bytea  NOT NULL,
    mac   bytea
) WITH (fillfactor = 50);
CREATE TABLE audit_erased ( -- what records leave behind that are erased with their chat
    chain bytea  NOT NULL,
    seq   bigint NOT NULL,
    id    bigint NOT NULL,
    hash  bytea  NOT NULL,
    mac   bytea,
    PRIMARY KEY (chain, seq)
);

CREATE FUNCTION audit_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'records of the audit are never changed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_unchanged();
CREATE FUNCTION audit_leaves_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM conversations WHERE id = OLD.conversation_id) THEN
        INSERT INTO audit_erased (chain, seq, id, hash, mac) VALUES (OLD.chain, OLD.seq, OLD.id, OLD.hash, OLD.mac);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER audit_leaves_hash AFTER DELETE ON audit FOR EACH ROW
    WHEN (OLD.chain IS NOT NULL AND OLD.conversation_id IS NOT NULL) EXECUTE FUNCTION audit_leaves_hash();

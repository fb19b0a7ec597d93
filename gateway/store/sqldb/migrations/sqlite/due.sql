-- What the sweeps look for in chats that do not run is in one index, because each change of a chat looks at
-- each index. It has only what is due: messages that wait, what no run has told of, files without a message.
DROP INDEX conversations_waiting;
DROP INDEX conversations_unpublished;
DROP INDEX conversations_unsent;
CREATE INDEX conversations_due ON conversations (updated_at) WHERE queued > 0 OR unpublished OR fence = 0;

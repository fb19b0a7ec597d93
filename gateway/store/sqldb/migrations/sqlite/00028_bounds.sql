-- What bounds what is read of a chat: its questions by their call and by the runs that asked and
-- announced them, and what waits of an asker for one person or role. Older builds ignore the bounds.

-- +goose Up
CREATE INDEX clarifications_call ON clarifications (conversation_id, tool_call_id) WHERE tool_call_id <> '';
CREATE INDEX clarifications_fence ON clarifications (conversation_id, asked_fence, number, id) WHERE asked_fence > 0;
CREATE INDEX clarifications_done ON clarifications (conversation_id, done_fence) WHERE done_fence > 0;
CREATE INDEX clarifications_undone ON clarifications (conversation_id) WHERE done_fence = 0;
CREATE INDEX clarifications_from ON clarifications (tenant, subject, for_role, asker) WHERE state = 'pending';

-- +goose Down
DROP INDEX clarifications_from;
DROP INDEX clarifications_undone;
DROP INDEX clarifications_done;
DROP INDEX clarifications_fence;
DROP INDEX clarifications_call;

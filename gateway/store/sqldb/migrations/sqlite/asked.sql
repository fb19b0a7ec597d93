-- A question had entries in up to twelve indexes, which were most of what it took. Nearly all lists and sums
-- are of what is open, what was closed last, or of a turn's calls: these have one index each.
DROP INDEX clarifications_chat;
DROP INDEX clarifications_subject;
DROP INDEX clarifications_app;
DROP INDEX clarifications_expiry;
DROP INDEX clarifications_pending;
DROP INDEX clarifications_changed;
DROP INDEX clarifications_changed_in_chat;
DROP INDEX clarifications_turn;
DROP INDEX clarifications_open;
DROP INDEX clarifications_remembered;
DROP INDEX clarifications_turns;
DROP INDEX clarifications_undelivered;
DROP INDEX clarifications_choices;
DROP INDEX clarifications_asked;
DROP INDEX clarifications_call;
DROP INDEX clarifications_fence;
DROP INDEX clarifications_done;
DROP INDEX clarifications_answered_as;
DROP INDEX clarifications_undone;
DROP INDEX clarifications_from;
DROP INDEX clarifications_decided;
DROP INDEX clarifications_gone;
DROP INDEX clarifications_escalate;
DROP INDEX clarifications_deleted;

-- What admins and metrics count: what is closed, then what waits and was seen, then what no screen has shown.
CREATE INDEX clarifications_app ON clarifications ((CASE WHEN state <> 'pending' THEN 0 WHEN seen_at > 0 THEN 1 ELSE 2 END),
    app, asked_at, id, state, answered_at, marks, kind, seen_at);
-- Those of a chat's turns, by their call, then those of programs, of which there may be any number.
CREATE INDEX clarifications_call ON clarifications (conversation_id, (CASE WHEN asker = '' THEN 0 ELSE 1 END), tool_call_id);
-- A chat's questions: open ones (done_fence is 0) first, then by the run that announced their end.
CREATE INDEX clarifications_done ON clarifications (conversation_id, done_fence, number, id);
-- The few that are looked for after they were closed.
CREATE INDEX clarifications_kept ON clarifications (conversation_id, done_fence) WHERE remembered = TRUE OR deleted_fence <> 0 OR answered_as <> '';
-- A person's questions: closed ones, then open ones, each by their last change.
CREATE INDEX clarifications_place ON clarifications (tenant, subject, (CASE WHEN state = 'pending' THEN 1 ELSE 0 END),
    (CASE WHEN answered_at > asked_at THEN answered_at ELSE asked_at END), (CASE WHEN state = 'pending' THEN number ELSE 0 END), id);
-- When anything is first due: expiry, a step of the escalation, withdrawal.
CREATE INDEX clarifications_due ON clarifications ((min(CASE WHEN expires_at > 0 THEN expires_at ELSE 9223372036854775807 END,
        CASE WHEN escalate_at > 0 THEN escalate_at ELSE 9223372036854775807 END,
        CASE WHEN withdraw_after > 0 THEN ((CASE WHEN waited_at > asked_at THEN waited_at ELSE asked_at END) + withdraw_after) ELSE 9223372036854775807 END)), id)
    WHERE state = 'pending' AND (expires_at > 0 OR escalate_at > 0 OR withdraw_after > 0);

package sqldb

// These columns are read by several statements, in the order in which rows.go scans them.
const (
	refColumns  = `tenant, subject, app, chat_id`
	headColumns = `id, language, fence, event_fence, event_seq, created_at, updated_at, ephemeral, asking, unpublished, forked_from, title, title_by, root, written_at, used_with, coded, lasting`
	turnColumns = `turn_id, turn_state, turn_language, turn_interactive, turn_steps, turn_finish_reason, ` +
		`turn_input_tokens, turn_output_tokens, turn_cached_tokens, turn_reasoning_tokens, turn_owner, turn_started_at, turn_ended_at`

	selectHead = `SELECT ` + headColumns + `, queued, ` + turnColumns + ` FROM conversations
		WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?`

	// ofHeld finds the chat of a run that has it, and that is as the run left it.
	ofHeld = `WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ? AND id = ? AND fence = ? AND event_fence = ? AND event_seq = ?`

	// beginning is the start of a listed chat's first message, '' if there is none. 400 is enough
	// for maxBeginning code points, whether the database counts them or bytes. It is followed by the
	// program that wrote the message, '' for a person.
	beginning = `, coalesce((SELECT substr(m.content, 1, 400) FROM messages m WHERE m.conversation_id = c.id AND m.position = 1), ''),
		coalesce((SELECT m.asked_by FROM messages m WHERE m.conversation_id = c.id AND m.position = 1), '')`

	useMeter = `INSERT INTO meters (name, holder, started, ends, used) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (name, holder, started) DO UPDATE SET used = meters.used + excluded.used`

	auditColumns = `id, at, record, coalesce(chain, ''), coalesce(seq, 0), coalesce(prev, ''), coalesce(hash, '')`

	newsColumns = `at, ` + refColumns + `, conversation_id, role, asker, type, clarification_id, turn_id, message_id, finish_reason, ` +
		`input_tokens, output_tokens, cached_tokens, reasoning_tokens`

	// endColumns are the news of a run's end, see scanEnd.
	endColumns = `r.told, r.ended_at, c.tenant, c.subject, c.app, c.chat_id, r.conversation_id, r.turn_id, r.finish_reason, ` +
		`r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens`

	// setRun overwrites a stored run.
	setRun = `ON CONFLICT (conversation_id, fence) DO UPDATE SET turn_id = excluded.turn_id, resumed = excluded.resumed,
		discards = excluded.discards, finish_reason = excluded.finish_reason, failure = excluded.failure, input_tokens = excluded.input_tokens,
		output_tokens = excluded.output_tokens, cached_tokens = excluded.cached_tokens, reasoning_tokens = excluded.reasoning_tokens, last_seq = excluded.last_seq, started_at = excluded.started_at,
		ended_at = excluded.ended_at`

	clarificationColumns = `id, conversation_id, tenant, subject, app, chat_id, turn_id, tool_call_id, tool_name, ` +
		`arguments, question, number, max, state, answer, remembered, asked_fence, done_fence, asked_at, answered_at, expires_at, ` +
		`answered_by, answered_via, draft, asker, for_role, seen_at, model, marks, answered_as, decisions, decided_fence, waited_at, withdraw_after, not_told, escalated, escalate_at, deleted_fence`

	// sizeOf is the size in bytes of a clarification's texts. Both databases know it without reading
	// them.
	sizeOf = `octet_length(arguments) + octet_length(question) + coalesce(octet_length(answer), 0) + coalesce(octet_length(draft), 0) + coalesce(octet_length(decisions), 0)`

	// sizeOfJoined is sizeOf for the table c of a join.
	sizeOfJoined = `octet_length(c.arguments) + octet_length(c.question) + coalesce(octet_length(c.answer), 0) + coalesce(octet_length(c.draft), 0) + coalesce(octet_length(c.decisions), 0)`

	// placeColumns are the place of a pending clarification in its list, with its size.
	placeColumns = `asked_at, number, id, ` + sizeOf

	memoryColumns = `id, tenant, subject, app, name, about, content, said, answer, silent, updated_at, expires_at`

	messageColumns = `position, id, turn_id, fence, role, content, created_at, asked_by, clarification_id, files`

	// These are what runs read of a message in addition to messageColumns, and what all others read
	// instead.
	ownColumns   = `, made_by, state`
	shownColumns = `, thinking, seq, spans`

	runColumns = `turn_id, resumed, discards, finish_reason, failure, input_tokens, output_tokens, cached_tokens, reasoning_tokens, ` +
		`last_seq, started_at, ended_at`

	// readRunColumns include those that SaveRun does not write.
	readRunColumns = runColumns + `, delivered`

	// againMarks sets in marks how an answer, given its time and choice (null: none), compares with the
	// same person's previous answer to the same question, among the last maxAgain that were closed.
	againMarks = `coalesce((SELECT CASE WHEN e.choice = ? THEN 8 WHEN e.choice <> ? THEN 16 ELSE 0 END FROM
			(SELECT e.app, e.template, e.shape, e.choice, e.answered_at, e.id FROM clarifications e
			WHERE e.tenant = clarifications.tenant AND e.subject = clarifications.subject AND (CASE WHEN e.state = 'pending' THEN 1 ELSE 0 END) = 0
			AND (CASE WHEN e.answered_at > e.asked_at THEN e.answered_at ELSE e.asked_at END) <= ? AND CAST(? AS bigint) IS NOT NULL
			ORDER BY (CASE WHEN e.answered_at > e.asked_at THEN e.answered_at ELSE e.asked_at END) DESC LIMIT ` + maxAgain + `) e
		WHERE e.app = clarifications.app AND e.template = clarifications.template AND e.shape = clarifications.shape
		AND e.choice IS NOT NULL AND e.id <> clarifications.id ORDER BY e.answered_at DESC LIMIT 1), 0)`
	maxAgain = `100`

	// original leaves out the copies made by forks, as the index does.
	original = `marks & 32 = 0`

	// questionsOf finds the questions of a row of the report.
	questionsOf = `WHERE kind = 'question' AND ` + original + ` AND app = ? AND template = ? AND shape = ? AND asked_at >= ?`

	// abandoned are turns that a node may take over from others. Unless it has held its own lease
	// without a gap for so long, it treats no lease as lapsed: the store may have been unreachable
	// for all nodes.
	abandoned = `turn_state = 'running' AND turn_owner <> ? AND turn_owner NOT IN (SELECT id FROM nodes WHERE lease_until > now_ms()
		OR NOT EXISTS (SELECT 1 FROM nodes WHERE id = ? AND lease_until > now_ms() AND held_since <= now_ms() - ?))`

	// openNow is 1 for a question that waits and 0 for others, as the indexes have it.
	openNow = `(CASE WHEN state = 'pending' THEN 1 ELSE 0 END)`

	// countedAs is 0 for a question that is closed, 1 for one that waits and that a screen has shown, 2 for
	// one that waits unseen, as the index has it.
	countedAs = `(CASE WHEN state <> 'pending' THEN 0 WHEN seen_at > 0 THEN 1 ELSE 2 END)`

	// ofProgram is 1 for what a program asked and 0 for what a turn asked, as the index has it.
	ofProgram = `(CASE WHEN asker = '' THEN 0 ELSE 1 END)`

	// changed is when a clarification was asked or closed, as the index has it.
	changed = `(CASE WHEN answered_at > asked_at THEN answered_at ELSE asked_at END)`

	// listNumber orders those that wait and were asked at the same time, as the index has it.
	listNumber = `(CASE WHEN state = 'pending' THEN number ELSE 0 END)`

	// dueAt is when something is first due for a question, as the index has it.
	dueAt = `least(CASE WHEN expires_at > 0 THEN expires_at ELSE 9223372036854775807 END,
		CASE WHEN escalate_at > 0 THEN escalate_at ELSE 9223372036854775807 END,
		CASE WHEN withdraw_after > 0 THEN ` + goneAt + ` ELSE 9223372036854775807 END)`

	dueQuestions = `SELECT ` + clarificationColumns + ` FROM clarifications WHERE state = 'pending' AND ` + dueAt + ` <= ? AND `
	inOrderOfDue = ` AND (` + dueAt + `, id) > (?, ?) ORDER BY ` + dueAt + `, id LIMIT ?`

	// goneAt is when a question is withdrawn unless its asker waits again.
	goneAt = `((CASE WHEN waited_at > asked_at THEN waited_at ELSE asked_at END) + withdraw_after)`
)

// A chat keeps these for its newest turn only.
const (
	basisOfTurn = `SELECT content FROM bases WHERE conversation_id = ? AND turn_id = ?`
	keepBasis   = `INSERT INTO bases (conversation_id, turn_id, content) VALUES (?, ?, ?)
		ON CONFLICT (conversation_id) DO UPDATE SET turn_id = excluded.turn_id, content = excluded.content`
	endBasis = `DELETE FROM bases WHERE conversation_id = ?`

	toolsOfTurn = `SELECT content FROM client_tools WHERE conversation_id = ? AND turn_id = ?`
	keepTools   = `INSERT INTO client_tools (conversation_id, turn_id, content) VALUES (?, ?, ?)
		ON CONFLICT (conversation_id) DO UPDATE SET turn_id = excluded.turn_id, content = excluded.content`
	endTools = `DELETE FROM client_tools WHERE conversation_id = ?`

	keepInstructions = `INSERT INTO instructions (conversation_id, message_id, content) VALUES (?, ?, ?)`
	instructionsOf   = `SELECT content FROM instructions WHERE conversation_id = ? AND message_id = ?`
	endInstructions  = `DELETE FROM instructions WHERE conversation_id = ? AND message_id <> ?
		AND message_id NOT IN (SELECT id FROM queue WHERE conversation_id = ?)`
	forkInstructions = `INSERT INTO instructions (conversation_id, message_id, content)
		SELECT ?, message_id, content FROM instructions i WHERE conversation_id = ?
			AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = ? AND m.id = i.message_id AND m.position <= ?)`
)

// These find the chats of a family, and in them what clients name.
const (
	branchesOf = `SELECT ` + refColumns + `, ` + headColumns + `, queued, ` + turnColumns + ` FROM conversations
		WHERE tenant = ? AND subject = ? AND app = ? AND root = ? AND root <> '' ORDER BY written_at DESC, chat_id DESC LIMIT ?`
	messageOfClient = `SELECT position, id, turn_id, content = ?, files FROM messages WHERE conversation_id = ? AND position =
		(SELECT max(position) FROM messages WHERE conversation_id = ? AND client_id = ? AND client_id <> '')`
	answerOfClient = `SELECT ` + clarificationColumns + `,
		coalesce((SELECT m.id FROM messages m WHERE m.conversation_id = clarifications.conversation_id AND m.turn_id = clarifications.turn_id ORDER BY m.position LIMIT 1), ''),
		NOT EXISTS (SELECT 1 FROM clarifications l WHERE l.conversation_id = clarifications.conversation_id AND l.turn_id = clarifications.turn_id AND l.done_fence > clarifications.done_fence)
		FROM clarifications WHERE conversation_id = ? AND answered_as = ? AND answered_as <> '' ORDER BY done_fence DESC LIMIT 1`
	beginningOfTurn = `SELECT position, id, turn_id, content = ?, files FROM messages WHERE conversation_id = ? AND turn_id = ?
		ORDER BY position LIMIT 1`
	saidBehind = `SELECT id FROM messages WHERE conversation_id = ? AND position > ? AND role = 'user' AND asked_by = ''
		ORDER BY position LIMIT 1`
	markDelivered = `UPDATE runs SET delivered = TRUE WHERE fence = ?
		AND conversation_id = (SELECT id FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?)`
)

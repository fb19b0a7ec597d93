package sqldb

// Columns that several statements read, in the order in which rows.go scans them.
const (
	headColumns = `c.id, c.tenant, c.subject, c.app, c.chat_id, c.language, c.fence, c.event_fence, c.event_seq, ` +
		`c.created_at, c.updated_at`

	clarificationColumns = `id, conversation_id, tenant, subject, app, chat_id, turn_id, tool_call_id, tool_name, ` +
		`arguments, question, number, max, state, answer, asked_fence, done_fence, asked_at, answered_at, expires_at`
)

// q holds every statement on chats. They are fields of one value so that a test can
// ask the database for the plan of each: none may read a whole table.
var q = struct {
	head, insertHead, updateHead, deleteHead  string
	insertTurn, updateTurn, renewLease        string
	run, saveRun                              string
	messages, insertMessage                   string
	calls, insertCall, setResult, callHas     string
	clarifications, insertClarification       string
	updateClarification, asked, clarification string
	idempotency, saveIdempotency, dropOldKeys string
	conversations, conversationsAfter         string
	pendingOfSubject, pendingOfSubjectAfter   string
	pending, pendingAfter                     string
	talliedStates, talliedWaits               string
	expired, abandoned, pendingPerApp, probe  string
}{
	head: `SELECT ` + headColumns + `, c.turn,
		coalesce(t.id, ''), coalesce(t.state, ''), coalesce(t.language, ''), coalesce(t.interactive, 0),
		coalesce(t.steps, 0), coalesce(t.finish_reason, ''), coalesce(t.input_tokens, 0), coalesce(t.output_tokens, 0),
		coalesce(t.lease_owner, ''), coalesce(t.lease_until, 0), coalesce(t.started_at, 0), coalesce(t.ended_at, 0)
		FROM conversations c LEFT JOIN turns t ON t.conversation_id = c.id AND t.number = c.turn
		WHERE c.tenant = ? AND c.subject = ? AND c.app = ? AND c.chat_id = ?`,
	insertHead: `INSERT INTO conversations (language, fence, event_fence, event_seq, turn, created_at, updated_at,
		tenant, subject, app, chat_id, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	updateHead: `UPDATE conversations SET language = ?, fence = ?, event_fence = ?, event_seq = ?, turn = ?,
		created_at = ?, updated_at = ? WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?`,
	deleteHead: `DELETE FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?`,

	insertTurn: `INSERT INTO turns (state, language, interactive, steps, finish_reason, input_tokens, output_tokens,
		lease_owner, lease_until, started_at, ended_at, conversation_id, number, id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	updateTurn: `UPDATE turns SET state = ?, language = ?, interactive = ?, steps = ?, finish_reason = ?,
		input_tokens = ?, output_tokens = ?, lease_owner = ?, lease_until = ?, started_at = ?, ended_at = ?
		WHERE conversation_id = ? AND number = ?`,
	renewLease: `UPDATE turns SET lease_until = ? WHERE state = 'running' AND conversation_id = ?
		AND number = (SELECT turn FROM conversations WHERE id = ? AND fence = ?)`,

	run: `SELECT turn_id, resumed, finish_reason, failure, input_tokens, output_tokens, last_seq, started_at, ended_at
		FROM runs WHERE conversation_id = ? AND fence = ?`,
	saveRun: `INSERT INTO runs (conversation_id, fence, turn_id, resumed, finish_reason, failure, input_tokens, output_tokens,
		last_seq, started_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (conversation_id, fence) DO UPDATE SET turn_id = excluded.turn_id, resumed = excluded.resumed,
		finish_reason = excluded.finish_reason, failure = excluded.failure, input_tokens = excluded.input_tokens,
		output_tokens = excluded.output_tokens, last_seq = excluded.last_seq, started_at = excluded.started_at,
		ended_at = excluded.ended_at`,

	messages: `SELECT position, id, turn_id, fence, role, content, created_at
		FROM messages WHERE conversation_id = ? ORDER BY position`,
	insertMessage: `INSERT INTO messages (conversation_id, position, id, turn_id, fence, role, content, created_at)
		VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM messages WHERE conversation_id = ?), ?, ?, ?, ?, ?, ?)`,

	calls: `SELECT message, position, id, name, arguments, result_fence, result, error_code, error_message, error_reason
		FROM tool_calls WHERE conversation_id = ?`,
	insertCall: `INSERT INTO tool_calls (conversation_id, message, position, id, name, arguments,
		result_fence, result, error_code, error_message, error_reason)
		VALUES (?, (SELECT max(position) FROM messages WHERE conversation_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	setResult: `UPDATE tool_calls SET result_fence = ?, result = ?, error_code = ?, error_message = ?, error_reason = ?
		WHERE conversation_id = ? AND id = ? AND result_fence IS NULL`,
	callHas: `SELECT count(*) FROM tool_calls WHERE conversation_id = ? AND id = ?`,

	clarifications: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? ORDER BY number, id`,
	insertClarification: `INSERT INTO clarifications (` + clarificationColumns + `, kind)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	updateClarification: `UPDATE clarifications SET state = ?, answer = ?, asked_fence = ?, done_fence = ?,
		asked_at = ?, answered_at = ?, expires_at = ? WHERE id = ? AND conversation_id = ?`,
	asked: `SELECT count(*), count(*) FILTER (WHERE turn_id = ?) FROM clarifications
		WHERE conversation_id = ? AND kind = 'question'`,

	idempotency: `SELECT hash, fence, created_at FROM idempotency
		WHERE conversation_id = ? AND key = ? AND created_at >= ?`,
	saveIdempotency: `INSERT INTO idempotency (conversation_id, key, hash, fence, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (conversation_id, key) DO UPDATE SET hash = excluded.hash, fence = excluded.fence,
		created_at = excluded.created_at`,
	dropOldKeys: `DELETE FROM idempotency WHERE conversation_id = ? AND created_at < ?`,

	conversations: `SELECT ` + headColumns + ` FROM conversations c
		WHERE c.tenant = ? AND c.subject = ? AND c.app = ?
		ORDER BY c.updated_at DESC, c.chat_id DESC LIMIT ?`,
	conversationsAfter: `SELECT ` + headColumns + ` FROM conversations c
		WHERE c.tenant = ? AND c.subject = ? AND c.app = ? AND (c.updated_at, c.chat_id) < (?, ?)
		ORDER BY c.updated_at DESC, c.chat_id DESC LIMIT ?`,
	pendingOfSubject: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' AND tenant = ? AND subject = ?
		ORDER BY asked_at, number, id LIMIT ?`,
	pendingOfSubjectAfter: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' AND tenant = ? AND subject = ? AND (asked_at, number, id) > (?, ?, ?)
		ORDER BY asked_at, number, id LIMIT ?`,
	clarification: `SELECT ` + clarificationColumns + ` FROM clarifications WHERE id = ?`,

	pending: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' ORDER BY asked_at, id LIMIT ?`,
	pendingAfter: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' AND (asked_at, id) > (?, ?) ORDER BY asked_at, id LIMIT ?`,
	talliedStates: `SELECT app, (asked_at - ?) / ?, state, count(*) FROM clarifications
		WHERE asked_at >= ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
	talliedWaits: `SELECT app, span, max(many),
			max(wait) FILTER (WHERE place = (many * 50 + 99) / 100),
			max(wait) FILTER (WHERE place = (many * 90 + 99) / 100),
			max(wait) FILTER (WHERE place = (many * 99 + 99) / 100)
		FROM (SELECT app, span, wait,
				row_number() OVER (PARTITION BY app, span ORDER BY wait) AS place,
				count(*) OVER (PARTITION BY app, span) AS many
			FROM (SELECT app, (asked_at - ?) / ? AS span, answered_at - asked_at AS wait FROM clarifications
				WHERE asked_at >= ? AND state IN ('answered', 'skipped', 'declined')) AS closed) AS placed
		GROUP BY app, span ORDER BY app, span`,

	expired: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' AND expires_at > 0 AND expires_at <= ? ORDER BY expires_at, id LIMIT ?`,
	abandoned: `SELECT c.tenant, c.subject, c.app, c.chat_id
		FROM turns t JOIN conversations c ON c.id = t.conversation_id AND c.turn = t.number
		WHERE t.state = 'running' AND t.lease_until <= ? ORDER BY t.lease_until, t.conversation_id LIMIT ?`,
	pendingPerApp: `SELECT app, count(*), min(asked_at) FROM clarifications
		WHERE state = 'pending' GROUP BY app ORDER BY app`,

	probe: `UPDATE conversations SET fence = fence WHERE id = ''`, // no conversation has this id
}

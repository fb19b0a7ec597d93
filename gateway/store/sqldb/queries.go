package sqldb

// Columns that several statements read, in the order in which rows.go scans them.
const (
	refColumns  = `tenant, subject, app, chat_id`
	headColumns = refColumns + `, id, language, fence, event_fence, event_seq, created_at, updated_at, passing, asking, untold, forked_from, title, title_by`
	turnColumns = `turn_id, turn_state, turn_language, turn_interactive, turn_steps, turn_finish_reason, ` +
		`turn_input_tokens, turn_output_tokens, turn_owner, turn_started_at, turn_ended_at`

	selectHead = `SELECT ` + headColumns + `, queued, ` + turnColumns + ` FROM conversations
		WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?`

	// beginning is the beginning of a listed chat's first message, '' where there is none. 400
	// suffices for maxBeginning code points, whether the database counts them or bytes. Behind it
	// is the program that wrote it, '' for a person.
	beginning = `, coalesce((SELECT substr(m.content, 1, 400) FROM messages m WHERE m.conversation_id = c.id AND m.position = 1), ''),
		coalesce((SELECT m.asked_by FROM messages m WHERE m.conversation_id = c.id AND m.position = 1), '')`

	useMeter = `INSERT INTO meters (name, holder, started, ends, used) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (name, holder, started) DO UPDATE SET used = meters.used + excluded.used`

	auditColumns = `id, at, record, coalesce(chain, ''), coalesce(seq, 0), coalesce(prev, ''), coalesce(hash, '')`

	newsColumns = `at, ` + refColumns + `, conversation_id, role, asker, type, clarification_id, turn_id, message_id, finish_reason, ` +
		`input_tokens, output_tokens`

	clarificationColumns = `id, conversation_id, tenant, subject, app, chat_id, turn_id, tool_call_id, tool_name, ` +
		`arguments, question, number, max, state, answer, remembered, asked_fence, done_fence, asked_at, answered_at, expires_at, ` +
		`answered_by, answered_via, draft, asker, for_role, seen_at, model, marks`

	memoryColumns = `id, tenant, subject, app, name, about, content, answer, silent, updated_at, expires_at`

	messageColumns = `position, id, turn_id, fence, role, content, created_at, asked_by, clarification_id, files`

	// undescribed are the rows that a build wrote, or closed, which did not know the columns of
	// described; as the index has it.
	undescribed = `kind = 'question' AND (shape IS NULL OR took IS NULL AND state IN ('answered', 'skipped', 'declined'))`

	// againMarks says in marks how an answer, by its time and its choice, compares with the one that
	// the same person gave to the same question before.
	againMarks = `coalesce((SELECT CASE WHEN e.choice = ? THEN 8 WHEN e.choice <> ? THEN 16 ELSE 0 END FROM clarifications e
		WHERE e.tenant = clarifications.tenant AND e.subject = clarifications.subject AND e.app = clarifications.app
		AND e.template = clarifications.template AND e.shape = clarifications.shape AND e.choice IS NOT NULL
		AND e.answered_at <= ? AND e.id <> clarifications.id ORDER BY e.answered_at DESC LIMIT 1), 0)`

	// original leaves out the copies of forks; as the index has it.
	original = `marks & 32 = 0`

	// questionsOf finds the questions of a row of the report.
	questionsOf = `WHERE kind = 'question' AND shape IS NOT NULL AND ` + original + ` AND app = ? AND template = ? AND shape = ? AND asked_at >= ?`

	// changed is when a clarification was asked or closed, as the indexes have it.
	changed = `(CASE WHEN answered_at > asked_at THEN answered_at ELSE asked_at END)`
)

// q holds every statement on chats. They are fields of one value so that a test can ask the
// database for each one's plan: none may read a whole table.
//
// Placeholders stand for what differs: now_ms() is the store's clock, in milliseconds since
// 1970 (see DB.atNow), for_update() locks the rows of a SELECT; see newsCall for the others.
var q = struct {
	head, lockHead                                          string
	insertHead, updateHead, deleteHead                      string
	updateHeld                                              string
	run, lastRun, saveRun                                   string
	messages, insertMessage, dropText                       string
	forkedMessage, copyMessages, copyCalls, copyContent     string
	standing, dropResult, copyFiles, copySent               string
	callsBehind, shownUpTo, insertRan, ran                  string
	message                                                 string
	messageAt, messageSizes, messagesFrom                   string
	calls, insertCall, callSizes, callsFrom                 string
	startCall, setResult, callHas                           string
	insertContent, content, contentSize                     string
	addFile, saveFile, file, filesHeld                      string
	giveUpFile, giveUpFiles, goneFiles, dropFile            string
	adoptFile, dropUnsent, eraseUnsent                      string
	clarifications, insertClarification                     string
	clarificationsOfTurns, untoldAsked                      string
	updateClarification, asked, clarification               string
	dropForged                                              string
	ofTurn, questions, open, remembered                     string
	recentSizes, extent, callExtent                         string
	fits, saveFit                                           string
	basis, saveBasis, dropBasis                             string
	queue, enqueue, dequeue                                 string
	idempotency, saveIdempotency, dropOldKeys               string
	claim, claimed, dropClaims                              string
	putAside, aside, dropAside, untold                      string
	messageAside                                            string
	heartbeat, giveUp, dropOldNodes                         string
	conversations, conversationsAfter                       string
	texts                                                   string
	pendingOfSubject, pendingOfRole                         string
	saveDraft, saveSeen, saveTold                           string
	changedOfSubject, changedOfChat                         string
	pending, pendingAfter                                   string
	talliedStates, talliedWaits                             string
	talliedQuestions, tooks, exampleOf                      string
	undescribed, describe, describeAgain                    string
	expired, expiredAsked, abandoned, owned, waiting, stale string
	passed                                                  string
	insertAudit, audit, auditOfApp                          string
	auditHead, readAuditHead, saveAuditHead                 string
	newestAudit, auditHeads, nextChain                      string
	auditLinks, erasedLinks, unchained                      string
	pendingPerApp, probe                                    string
	used, use, useUpTo, dropMeters                          string
	insertDelivery, dueDeliveries                           string
	claimDelivery, endDelivery                              string
	advanceDeliveries, postponeDelivery                     string
	postponeDeliveries, dropDeliveries                      string
	nextWebhook, oldestDelivery                             string
	dueUnseen, turnUnseen, dropUnseen                       string
	undelivered                                             string
	insertNews, deleteNews, tellDeleted                     string
	dropNews, dropCopied                                    string
	newsOfSubject, newsOfRole, newsOfAsker                  string
	allNews, newsHead                                       string
	memories, memoryPage, memoryPageAfter, memory           string
	saveMemory, lockMemories, countMemories, trimMemories   string
	lockChat                                                string
	editMemory, deleteMemory, deleteMemories, forgetKey     string
	dropMemories                                            string
	chatsOf, eraseMeters, eraseNews                         string
}{
	head:     selectHead,
	lockHead: selectHead + ` for_update()`,
	insertHead: `INSERT INTO conversations (language, fence, event_fence, event_seq, created_at, updated_at, passing, asking, untold, title, title_by, queued,
		` + turnColumns + `, ` + refColumns + `, id, forked_from)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	updateHead: `UPDATE conversations SET language = ?, fence = ?, event_fence = ?, event_seq = ?, created_at = ?,
		updated_at = ?, passing = ?, asking = ?, untold = ?, title = ?, title_by = ?, queued = ?, turn_id = ?, turn_state = ?, turn_language = ?, turn_interactive = ?, turn_steps = ?,
		turn_finish_reason = ?, turn_input_tokens = ?, turn_output_tokens = ?, turn_owner = ?, turn_started_at = ?,
		turn_ended_at = ? WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?`,
	updateHeld: `UPDATE conversations SET event_fence = ?, event_seq = ?, updated_at = ?, turn_state = ?, turn_steps = ?,
		turn_finish_reason = ?, turn_input_tokens = ?, turn_output_tokens = ?, turn_owner = ?, turn_ended_at = ?
		WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ? AND id = ? AND fence = ?`,
	deleteHead: `DELETE FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ? AND updated_at < ?`,

	run: `SELECT turn_id, resumed, discards, finish_reason, failure, input_tokens, output_tokens, last_seq, started_at, ended_at
		FROM runs WHERE conversation_id = ? AND fence = ?`,
	saveRun: `INSERT INTO runs (conversation_id, fence, turn_id, resumed, discards, finish_reason, failure, input_tokens, output_tokens,
		last_seq, started_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (conversation_id, fence) DO UPDATE SET turn_id = excluded.turn_id, resumed = excluded.resumed,
		discards = excluded.discards, finish_reason = excluded.finish_reason, failure = excluded.failure, input_tokens = excluded.input_tokens,
		output_tokens = excluded.output_tokens, last_seq = excluded.last_seq, started_at = excluded.started_at,
		ended_at = excluded.ended_at`,

	lastRun: `SELECT fence, turn_id, resumed, discards, finish_reason, failure, input_tokens, output_tokens, last_seq, started_at, ended_at
		FROM runs WHERE conversation_id = ? AND turn_id = ? ORDER BY fence DESC LIMIT 1`,

	messages: `SELECT ` + messageColumns + `
		FROM messages WHERE conversation_id = ? ORDER BY position`,
	message:   `SELECT ` + messageColumns + ` FROM messages WHERE conversation_id = ? AND id = ?`,
	messageAt: `SELECT position FROM messages WHERE conversation_id = ? AND id = ?`,
	messageSizes: `SELECT position, octet_length(content) FROM messages
		WHERE conversation_id = ? AND position < ? ORDER BY position DESC LIMIT ?`,
	messagesFrom: `SELECT ` + messageColumns + `
		FROM messages WHERE conversation_id = ? AND position >= ? AND position < ? ORDER BY position`,
	insertMessage: `INSERT INTO messages (conversation_id, ` + messageColumns + `)
		VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM messages WHERE conversation_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	dropText: `DELETE FROM messages WHERE conversation_id = ? AND fence = ? AND role = 'assistant'
		AND position = (SELECT max(position) FROM messages WHERE conversation_id = ? AND turn_id <> '')
		AND position NOT IN (SELECT message FROM tool_calls WHERE conversation_id = ?)`,

	forkedMessage: `SELECT ` + messageColumns + ` FROM messages WHERE conversation_id = ?
		AND position = (SELECT message FROM tool_calls WHERE conversation_id = ? AND id = ?)`,
	standing: `SELECT position FROM messages WHERE conversation_id = ? AND position <= ? AND clarification_id <> '' ORDER BY position`,
	copyMessages: `INSERT INTO messages (conversation_id, ` + messageColumns + `)
		SELECT ?, position - ?, id, CASE WHEN turn_id = ? THEN ? ELSE turn_id END,
			fence, role, content, created_at, asked_by, clarification_id, files
		FROM messages WHERE conversation_id = ? AND position > ? AND position < ?`,
	copyCalls: `INSERT INTO tool_calls (conversation_id, message, position, id, name, arguments, started,
		result_fence, result, error_code, error_message, error_reason, content)
		SELECT ?, message - ?, position, id, name, arguments, started, result_fence, result, error_code, error_message, error_reason, content
		FROM tool_calls WHERE conversation_id = ? AND message > ? AND message < ?`,
	dropResult: `UPDATE tool_calls SET result_fence = NULL, result = '', error_code = NULL, error_message = '', error_reason = '', content = ''
		WHERE conversation_id = ? AND id = ?`,
	shownUpTo: `SELECT content FROM tool_calls WHERE conversation_id = ? AND message <= ? AND content <> ''`,
	copyContent: `INSERT INTO contents (conversation_id, id, media, size, bytes)
		SELECT ?, id, media, size, bytes FROM contents WHERE conversation_id = ? AND id = ?`,
	copyFiles: `INSERT INTO files (conversation_id, id, name, type, size, clarification_id, created_at)
		SELECT ?, id, name, type, size, ?, created_at FROM files WHERE conversation_id = ? AND clarification_id = ? AND size >= 0`,
	copySent: `INSERT INTO files (conversation_id, id, name, type, size, clarification_id, created_at)
		SELECT ?, id, name, type, size, clarification_id, created_at FROM files WHERE conversation_id = ? AND size >= 0
		AND clarification_id IN (SELECT m.id FROM messages m WHERE m.conversation_id = ? AND m.files <> '' AND m.position <= ?)`,
	callsBehind: `SELECT id, name, arguments, started FROM tool_calls WHERE conversation_id = ? AND message > ?`,
	insertRan:   `INSERT INTO ran (conversation_id, tool, digest) VALUES (?, ?, ?) ON CONFLICT (conversation_id, tool, digest) DO NOTHING`,
	ran:         `SELECT tool, digest FROM ran WHERE conversation_id = ?`,

	calls: `SELECT message, position, id, name, arguments, started, result_fence, result, error_code, error_message, error_reason, content
		FROM tool_calls WHERE conversation_id = ?`,
	callSizes: `SELECT message, octet_length(arguments) + octet_length(result) + octet_length(content) FROM tool_calls
		WHERE conversation_id = ? AND message >= ? AND message < ?`,
	callsFrom: `SELECT message, position, id, name, arguments, started, result_fence, result, error_code, error_message, error_reason, content
		FROM tool_calls WHERE conversation_id = ? AND message >= ? AND message < ?`,
	insertCall: `INSERT INTO tool_calls (conversation_id, message, position, id, name, arguments, started,
		result_fence, result, error_code, error_message, error_reason, content)
		VALUES (?, (SELECT max(position) FROM messages WHERE conversation_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	startCall: `UPDATE tool_calls SET started = ? WHERE conversation_id = ? AND id = ?`,
	setResult: `UPDATE tool_calls SET result_fence = ?, result = ?, error_code = ?, error_message = ?, error_reason = ?, content = ?
		WHERE conversation_id = ? AND id = ? AND result_fence IS NULL`,
	insertContent: `INSERT INTO contents (conversation_id, id, media, size, bytes) VALUES (?, ?, ?, ?, ?)`,
	content:       `SELECT media, bytes FROM contents WHERE conversation_id = ? AND id = ?`,
	contentSize:   `SELECT coalesce(sum(size), 0) FROM contents WHERE conversation_id = ?`,
	addFile:       `INSERT INTO files (conversation_id, id, name, type, size, clarification_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
	saveFile:      `UPDATE files SET type = ?, size = ?, clarification_id = ? WHERE conversation_id = ? AND id = ?`,
	file:          `SELECT id, name, type, size, clarification_id, created_at FROM files WHERE conversation_id = ? AND id = ? AND size >= 0`,
	filesHeld:     `SELECT count(*), coalesce(sum(size) FILTER (WHERE size > 0), 0) FROM files WHERE conversation_id = ?`,
	giveUpFile:    `UPDATE files SET conversation_id = NULL, size = 0 WHERE conversation_id = ? AND id = ? AND clarification_id = ''`,
	giveUpFiles:   `UPDATE files SET conversation_id = NULL WHERE clarification_id = '' AND conversation_id IS NOT NULL AND created_at < ?`,
	goneFiles: `SELECT f.seq, f.id, EXISTS (SELECT 1 FROM files o WHERE o.id = f.id AND o.conversation_id IS NOT NULL)
		FROM files f WHERE f.conversation_id IS NULL AND (f.size >= 0 OR f.created_at < ?) ORDER BY f.conversation_id, f.id LIMIT ?`,
	adoptFile: `UPDATE files SET conversation_id = ? WHERE id = ? AND size >= 0 AND conversation_id =
		(SELECT c.id FROM conversations c WHERE c.tenant = ? AND c.subject = ? AND c.app = ? AND c.chat_id = ?)`,
	dropUnsent:  `DELETE FROM conversations WHERE fence = 0 AND updated_at < ?`,
	eraseUnsent: `DELETE FROM conversations WHERE tenant = ? AND subject = ?`,
	dropFile:    `DELETE FROM files WHERE seq = ? AND conversation_id IS NULL`,
	callHas:     `SELECT count(*) FROM tool_calls WHERE conversation_id = ? AND id = ?`,

	clarifications: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? ORDER BY number, id`,
	clarificationsOfTurns: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND asker = '' ORDER BY number, id`,
	untoldAsked: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND asker <> '' AND (asked_fence = 0 OR state <> 'pending' AND done_fence = 0) ORDER BY number, id`,
	insertClarification: `INSERT INTO clarifications (` + clarificationColumns + `, kind, template, shape, took, choice)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	updateClarification: `UPDATE clarifications SET state = ?, answer = ?, remembered = ?, asked_fence = ?, done_fence = ?,
		asked_at = ?, answered_at = ?, expires_at = ?, answered_by = ?, answered_via = ?, draft = NULL,
		took = ?, choice = ?, marks = marks & 33 | ? | ` + againMarks + `
		WHERE id = ? AND conversation_id = ?`,
	saveDraft: `UPDATE clarifications SET draft = ?
		WHERE id = ? AND tenant = ? AND subject = ? AND state = 'pending'`,
	saveSeen: `UPDATE clarifications SET seen_at = ? WHERE id = ? AND state = 'pending' AND seen_at = 0`,
	saveTold: `UPDATE clarifications SET asked_fence = ?, done_fence = ? WHERE id = ? AND conversation_id = ?`,
	dropForged: `UPDATE clarifications SET state = 'superseded', done_fence = ?, answered_at = ?, draft = NULL
		WHERE id = ? AND conversation_id = ? AND state = 'pending'`,
	ofTurn: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND turn_id = ?`,
	questions: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND kind = 'question' AND asker = '' ORDER BY number, id`,
	open: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND state = 'pending' ORDER BY number, id`,
	remembered: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND remembered = TRUE ORDER BY number, id`,
	recentSizes: `SELECT position, turn_id, octet_length(content) FROM messages
		WHERE conversation_id = ? AND position < ? AND turn_id <> '' ORDER BY position DESC LIMIT ?`,
	extent: `SELECT count(*) FILTER (WHERE role = 'user'), coalesce(sum(octet_length(content)), 0) FROM messages
		WHERE conversation_id = ? AND position >= ? AND position < ? AND turn_id <> ''`,
	callExtent: `SELECT coalesce(sum(octet_length(arguments) + octet_length(result)), 0) FROM tool_calls
		WHERE conversation_id = ? AND message >= ? AND message < ?`,
	fits: `SELECT model, settings, first_message, max_bytes, per_mille FROM fits WHERE conversation_id = ?`,
	saveFit: `INSERT INTO fits (conversation_id, model, settings, first_message, max_bytes, per_mille) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (conversation_id, model) DO UPDATE SET settings = excluded.settings,
		first_message = excluded.first_message, max_bytes = excluded.max_bytes, per_mille = excluded.per_mille`,
	basis: `SELECT content FROM bases WHERE conversation_id = ? AND turn_id = ?`,
	saveBasis: `INSERT INTO bases (conversation_id, turn_id, content) VALUES (?, ?, ?)
		ON CONFLICT (conversation_id) DO UPDATE SET turn_id = excluded.turn_id, content = excluded.content`,
	dropBasis: `DELETE FROM bases WHERE conversation_id = ?`,
	asked: `SELECT count(*), count(*) FILTER (WHERE turn_id = ?) FROM clarifications
		WHERE conversation_id = ? AND kind = 'question' AND asker = ''`,

	queue: `SELECT id, content, language, interactive, idempotency_key, created_at, files
		FROM queue WHERE conversation_id = ? ORDER BY position`,
	enqueue: `INSERT INTO queue (conversation_id, position, id, content, language, interactive, idempotency_key, created_at, files)
		VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM queue WHERE conversation_id = ?), ?, ?, ?, ?, ?, ?, ?)`,
	dequeue: `DELETE FROM queue WHERE conversation_id = ? AND id = ?`,

	idempotency: `SELECT hash, fence, message_id, created_at FROM idempotency
		WHERE conversation_id = ? AND key = ? AND created_at >= ?`,
	saveIdempotency: `INSERT INTO idempotency (conversation_id, key, hash, fence, message_id, created_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (conversation_id, key) DO UPDATE SET hash = excluded.hash, fence = excluded.fence,
		message_id = excluded.message_id, created_at = excluded.created_at`,
	dropOldKeys: `DELETE FROM idempotency WHERE conversation_id = ? AND created_at < ?`,

	claim: `INSERT INTO claims (tenant, asker, app, key, hash, clarification_id, conversation_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (tenant, asker, app, key) DO UPDATE SET hash = excluded.hash, clarification_id = excluded.clarification_id,
		conversation_id = excluded.conversation_id, created_at = excluded.created_at WHERE claims.created_at < ?`,
	claimed:    `SELECT hash, clarification_id, created_at FROM claims WHERE tenant = ? AND asker = ? AND app = ? AND key = ?`,
	dropClaims: `DELETE FROM claims WHERE created_at < ?`,

	putAside: `INSERT INTO aside (conversation_id, position, id, content, asked_by, created_at)
		VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM aside WHERE conversation_id = ?), ?, ?, ?, ?)`,
	aside:        `SELECT id, content, asked_by, created_at FROM aside WHERE conversation_id = ? ORDER BY position`,
	messageAside: `SELECT id, content, asked_by, created_at FROM aside WHERE conversation_id = ? AND id = ?`,
	dropAside:    `DELETE FROM aside WHERE conversation_id = ?`,
	untold: `SELECT ` + refColumns + ` FROM conversations
		WHERE untold AND turn_state <> 'running' ORDER BY updated_at LIMIT ?`,

	heartbeat: `INSERT INTO nodes (lease_until, id, lapsed) VALUES (now_ms() + ?, ?, TRUE)
		ON CONFLICT (id) DO UPDATE SET lapsed = nodes.lease_until <= now_ms(), lease_until = excluded.lease_until
		RETURNING lapsed`,
	giveUp:       `DELETE FROM nodes WHERE id = ? RETURNING lease_until <= now_ms()`,
	dropOldNodes: `DELETE FROM nodes WHERE lease_until < now_ms() - ?`,

	conversations: `SELECT ` + headColumns + beginning + ` FROM conversations c
		WHERE tenant = ? AND subject = ? AND app = ?
		ORDER BY updated_at DESC, chat_id DESC LIMIT ?`,
	conversationsAfter: `SELECT ` + headColumns + beginning + ` FROM conversations c
		WHERE tenant = ? AND subject = ? AND app = ? AND (updated_at, chat_id) < (?, ?)
		ORDER BY updated_at DESC, chat_id DESC LIMIT ?`,
	texts: `SELECT content FROM messages WHERE conversation_id = ? ORDER BY position`,
	pendingOfSubject: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' AND tenant = ? AND subject = ? AND (? OR app = ?) AND (? OR chat_id = ?)
		AND (asked_at, number, id) > (?, ?, ?) ORDER BY asked_at, number, id LIMIT ?`,
	pendingOfRole: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' AND for_role <> '' AND tenant = ? AND for_role = ? AND subject <> ? AND asker <> ?
		AND (? OR app = ?) AND (? OR chat_id = ?)
		AND (asked_at, number, id) > (?, ?, ?) ORDER BY asked_at, number, id LIMIT ?`,
	changedOfSubject: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE tenant = ? AND subject = ? AND (? OR app = ?) AND (? OR state <> 'pending')
		AND ` + changed + ` >= ? AND (` + changed + `, id) > (?, ?) ORDER BY ` + changed + `, id LIMIT ?`,
	changedOfChat: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE tenant = ? AND subject = ? AND chat_id = ? AND (? OR app = ?) AND (? OR state <> 'pending')
		AND ` + changed + ` >= ? AND (` + changed + `, id) > (?, ?) ORDER BY ` + changed + `, id LIMIT ?`,
	clarification: `SELECT ` + clarificationColumns + ` FROM clarifications WHERE id = ?`,

	pending: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' ORDER BY asked_at, id LIMIT ?`,
	pendingAfter: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' AND (asked_at, id) > (?, ?) ORDER BY asked_at, id LIMIT ?`,
	talliedStates: `SELECT app, (asked_at - ?) / ?, state, count(*) FROM clarifications
		WHERE asked_at >= ? AND ` + original + ` GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
	talliedWaits: `SELECT app, span, max(many),
			max(wait) FILTER (WHERE place = (many * 50 + 99) / 100),
			max(wait) FILTER (WHERE place = (many * 90 + 99) / 100),
			max(wait) FILTER (WHERE place = (many * 99 + 99) / 100)
		FROM (SELECT app, span, wait,
				row_number() OVER (PARTITION BY app, span ORDER BY wait) AS place,
				count(*) OVER (PARTITION BY app, span) AS many
			FROM (SELECT app, (asked_at - ?) / ? AS span, answered_at - asked_at AS wait FROM clarifications
				WHERE asked_at >= ? AND ` + original + ` AND state IN ('answered', 'skipped', 'declined')) AS closed) AS placed
		GROUP BY app, span ORDER BY app, span`,
	talliedQuestions: `SELECT app, template, shape, model, state, marks, count(*), count(*) FILTER (WHERE seen_at > 0)
		FROM clarifications WHERE kind = 'question' AND shape IS NOT NULL AND ` + original + ` AND asked_at >= ? AND (? OR app = ?)
		GROUP BY app, template, shape, model, state, marks ORDER BY app, template, shape, model, state, marks`,
	tooks:     `SELECT took FROM clarifications ` + questionsOf + ` AND took IS NOT NULL`,
	exampleOf: `SELECT ` + clarificationColumns + ` FROM clarifications ` + questionsOf + ` LIMIT ?`,
	undescribed: `SELECT id, question, answer, state, asked_at, answered_at FROM clarifications
		WHERE ` + undescribed + ` ORDER BY answered_at, id LIMIT ?`,
	describe: `UPDATE clarifications SET model = CASE WHEN model = '' THEN ? ELSE model END, template = ?, shape = ?, took = ?, choice = ?,
		marks = marks & 32 | ? WHERE id = ? AND state = ?`,
	describeAgain: `UPDATE clarifications SET marks = marks | ` + againMarks + ` WHERE id = ? AND choice IS NOT NULL`,

	expired: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' AND expires_at > 0 AND expires_at <= ? AND (expires_at, id) > (?, ?) ORDER BY expires_at, id LIMIT ?`,
	expiredAsked: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state = 'pending' AND expires_at < 0 AND expires_at >= ? AND (expires_at, id) < (?, ?) ORDER BY expires_at DESC, id DESC LIMIT ?`,
	abandoned: `SELECT ` + refColumns + ` FROM conversations
		WHERE turn_state = 'running' AND turn_owner NOT IN (SELECT id FROM nodes WHERE lease_until > now_ms())
		ORDER BY turn_owner LIMIT ?`,
	owned: `SELECT ` + refColumns + ` FROM conversations
		WHERE turn_state = 'running' AND turn_owner = ? LIMIT ?`,
	waiting: `SELECT ` + refColumns + ` FROM conversations
		WHERE queued > 0 AND turn_state = 'ended' ORDER BY updated_at LIMIT ?`,
	stale: `SELECT ` + refColumns + ` FROM conversations
		WHERE turn_state <> 'running' AND app = ? AND updated_at < ? ORDER BY updated_at LIMIT ?`,
	passed: `SELECT ` + refColumns + ` FROM conversations
		WHERE passing AND queued = 0 AND turn_state = 'ended' ORDER BY updated_at LIMIT ?`,
	pendingPerApp: `SELECT app, count(*), min(asked_at) FROM clarifications
		WHERE state = 'pending' GROUP BY app ORDER BY app`,

	used:       `SELECT used FROM meters WHERE name = ? AND holder = ? AND started = ?`,
	use:        useMeter,
	useUpTo:    useMeter + ` WHERE meters.used + excluded.used <= ?`,
	dropMeters: `DELETE FROM meters WHERE ends < ?`,

	insertDelivery: `INSERT INTO deliveries (id, webhook, event, conversation_id, clarification_id, turn_id, finish_reason, unless_seen,
		at, due, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, now_ms(), now_ms() + ?, 0)`,
	dueDeliveries: `SELECT d.seq, d.id, d.webhook, d.event, d.conversation_id, d.clarification_id, d.turn_id, d.finish_reason, d.at, d.due, d.attempts,
			c.tenant, c.subject, c.app, c.chat_id, c.language
		FROM deliveries d JOIN conversations c ON c.id = d.conversation_id
		WHERE d.webhook = ? AND d.unless_seen = FALSE AND d.due <= now_ms() AND NOT EXISTS (SELECT 1 FROM deliveries e
			WHERE e.conversation_id = d.conversation_id AND e.webhook = d.webhook AND e.seq < d.seq AND e.unless_seen = FALSE)
		ORDER BY d.due, d.seq LIMIT ?`,
	claimDelivery: `UPDATE deliveries SET due = now_ms() + ?, attempts = attempts + 1 WHERE seq = ? AND due = ?`,
	endDelivery:   `DELETE FROM deliveries WHERE seq = ?`,
	advanceDeliveries: `UPDATE deliveries SET due = now_ms()
		WHERE conversation_id = ? AND webhook = ? AND seq > ? AND unless_seen = FALSE AND due > now_ms()`,
	postponeDelivery: `UPDATE deliveries SET due = now_ms() + ? WHERE seq = ? AND attempts = ?`,
	postponeDeliveries: `UPDATE deliveries SET due = now_ms() + ?
		WHERE conversation_id = ? AND webhook = ? AND seq > ? AND unless_seen = FALSE`,
	dropDeliveries: `DELETE FROM deliveries WHERE webhook = ? AND at < ?`,
	nextWebhook:    `SELECT webhook FROM deliveries WHERE webhook > ? ORDER BY webhook LIMIT 1`,
	oldestDelivery: `SELECT at FROM deliveries WHERE webhook = ? AND unless_seen = FALSE ORDER BY at LIMIT 1`,
	dueUnseen: `SELECT d.seq, d.webhook, coalesce(c.app, ''), coalesce(c.state = 'pending' AND c.seen_at = 0, FALSE)
		FROM deliveries d LEFT JOIN clarifications c ON c.id = d.clarification_id
		WHERE d.unless_seen = TRUE AND d.due <= now_ms() ORDER BY d.due LIMIT ?`,
	turnUnseen: `UPDATE deliveries SET unless_seen = FALSE, at = now_ms(), due = now_ms() WHERE seq = ? AND unless_seen = TRUE
		AND EXISTS (SELECT 1 FROM clarifications c WHERE c.id = deliveries.clarification_id AND c.state = 'pending' AND c.seen_at = 0)`,
	dropUnseen: `DELETE FROM deliveries WHERE seq = ? AND unless_seen = TRUE`,
	undelivered: `SELECT app, count(*) FROM clarifications
		WHERE state = 'pending' AND seen_at = 0 AND asked_at <= ? AND kind <> 'input' GROUP BY app ORDER BY app`,

	insertNews: `INSERT INTO news (id, ` + newsColumns + `) VALUES (news_base() + ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	newsOfSubject: `SELECT id, ` + newsColumns + ` FROM news
		WHERE tenant = ? AND subject = ? AND id > ? AND id < news_settled() ORDER BY id LIMIT ?`,
	newsOfRole: `SELECT id, ` + newsColumns + ` FROM news
		WHERE tenant = ? AND role = ? AND role <> '' AND id > ? AND id < news_settled() ORDER BY id LIMIT ?`,
	newsOfAsker: `SELECT id, ` + newsColumns + ` FROM news
		WHERE tenant = ? AND asker = ? AND asker <> '' AND id > ? AND id < news_settled() ORDER BY id LIMIT ?`,
	allNews:  `SELECT id, ` + newsColumns + `, id < news_settled() FROM news WHERE id > ? ORDER BY id LIMIT ?`,
	dropNews: `DELETE FROM news WHERE at < ? AND id IN (SELECT id FROM news ORDER BY id LIMIT ?)`,
	// Where the database was copied from another server, the greatest ids may be of that one.
	dropCopied: `DELETE FROM news WHERE at < ? AND id IN (SELECT id FROM news ORDER BY id DESC LIMIT ?)`,
	tellDeleted: `INSERT INTO news (id, ` + newsColumns + `)
		SELECT news_base() + row_number() OVER (ORDER BY number, id), ?, ` + refColumns + `, conversation_id, for_role, asker, ?, id, turn_id, tool_call_id, ?, 0, 0
		FROM clarifications WHERE state = 'pending'
		AND conversation_id = (SELECT c.id FROM conversations c WHERE c.tenant = ? AND c.subject = ? AND c.app = ? AND c.chat_id = ?)`,
	deleteNews: `DELETE FROM news WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?`,
	newsHead:   `SELECT id FROM news WHERE id < news_settled() ORDER BY id DESC LIMIT 1`,

	insertAudit: `INSERT INTO audit (conversation_id, at, app, record, chain, seq, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
	audit:       `SELECT ` + auditColumns + ` FROM audit WHERE (at, id) > (?, ?) AND at < ? ORDER BY at, id LIMIT ?`,
	auditOfApp: `SELECT ` + auditColumns + ` FROM audit
		WHERE (at, id) > (?, ?) AND at < ? AND app = ? ORDER BY at, id LIMIT ?`,

	auditHead:     `SELECT seq, hash FROM audit_heads WHERE chain = ? for_update()`,
	readAuditHead: `SELECT seq, hash FROM audit_heads WHERE chain = ?`,
	saveAuditHead: `INSERT INTO audit_heads (chain, seq, hash) VALUES (?, ?, ?)
		ON CONFLICT (chain) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
	newestAudit: `SELECT id, coalesce(hash, '') FROM audit ORDER BY id DESC LIMIT 1`,
	auditHeads:  `SELECT chain, seq, hash FROM audit_heads WHERE chain > ? ORDER BY chain LIMIT ?`,
	nextChain:   `SELECT id, chain FROM audit WHERE chain > ? ORDER BY chain, seq LIMIT 1`,
	auditLinks: `SELECT id, seq, prev, hash, at, app, record FROM audit
		WHERE chain = ? AND seq BETWEEN ? AND ? ORDER BY seq`,
	erasedLinks: `SELECT id, seq, hash FROM audit_erased WHERE chain = ? AND seq BETWEEN ? AND ? ORDER BY seq`,
	unchained:   `SELECT id FROM audit WHERE chain IS NULL AND id > ? ORDER BY id LIMIT 1`,

	memories: `SELECT ` + memoryColumns + ` FROM memory WHERE tenant = ? AND subject = ? AND app = ?
		AND (expires_at = 0 OR expires_at > ?) ORDER BY words DESC, updated_at DESC, id DESC`,
	memory: `SELECT ` + memoryColumns + ` FROM memory WHERE id = ?`,
	memoryPage: `SELECT ` + memoryColumns + ` FROM memory WHERE tenant = ? AND subject = ? AND (? OR app = ?)
		AND (expires_at = 0 OR expires_at > ?) ORDER BY updated_at DESC, id DESC LIMIT ?`,
	memoryPageAfter: `SELECT ` + memoryColumns + ` FROM memory WHERE tenant = ? AND subject = ? AND (? OR app = ?)
		AND (expires_at = 0 OR expires_at > ?) AND (updated_at, id) < (?, ?) ORDER BY updated_at DESC, id DESC LIMIT ?`,
	// Words keep their id: what a page shows can be edited there. Answers given at once are listed in
	// their order, which is that of new ids.
	saveMemory: `INSERT INTO memory (` + memoryColumns + `, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (tenant, subject, app, name, about) DO UPDATE SET content = excluded.content, answer = excluded.answer,
		id = CASE WHEN excluded.words = TRUE THEN memory.id ELSE excluded.id END, silent = excluded.silent, updated_at = excluded.updated_at, expires_at = excluded.expires_at`,
	lockMemories: `SELECT name FROM memory WHERE tenant = ? AND subject = ? AND app = ? AND words = TRUE
		ORDER BY updated_at, id for_update()`,
	lockChat:      `SELECT id FROM conversations WHERE id = ? for_update()`,
	countMemories: `SELECT count(*) FROM memory WHERE tenant = ? AND subject = ? AND app = ? AND words = TRUE`,
	trimMemories: `DELETE FROM memory WHERE id IN (SELECT id FROM memory WHERE tenant = ? AND subject = ? AND app = ? AND words = FALSE
		ORDER BY updated_at DESC, id DESC LIMIT 1000 OFFSET ?)`,
	editMemory: `UPDATE memory SET content = ?, updated_at = ? WHERE id = ? AND tenant = ? AND subject = ? AND words = TRUE
		AND (expires_at = 0 OR expires_at > ?)`,
	deleteMemory:   `DELETE FROM memory WHERE id = ? AND tenant = ? AND subject = ?`,
	deleteMemories: `DELETE FROM memory WHERE tenant = ? AND subject = ? AND (? OR app = ?)`,
	forgetKey:      `DELETE FROM memory WHERE tenant = ? AND subject = ? AND app = ? AND name = ?`,
	dropMemories:   `DELETE FROM memory WHERE expires_at > 0 AND expires_at < ?`,

	chatsOf: `SELECT ` + refColumns + ` FROM conversations WHERE tenant = ? AND subject = ?
		ORDER BY app, chat_id LIMIT ?`,
	eraseMeters: `DELETE FROM meters WHERE holder = ?`,
	eraseNews:   `DELETE FROM news WHERE tenant = ? AND subject = ?`,

	probe: `UPDATE conversations SET fence = fence WHERE id = ''`, // no conversation has this id
}

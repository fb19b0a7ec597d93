package sqldb

// q, with forgets, holds every statement on chats. They are fields of one value so that a test can
// ask the database for each one's plan: none may read a whole table.
//
// Placeholders cover the differences between the databases: now_ms() is the store's clock, in
// milliseconds since 1970 (see DB.atNow), for_update() locks the rows of a SELECT; see newsCall
// for the others.
var q = struct {
	head, lockHead, updateHeld, updateStep                             string
	insertHead, updateHead, saveOrigin, deleteHead, deleteLinked       string
	run, lastRun, saveRun, endRun                                      string
	messages, insertMessage, dropText                                  string
	forkedMessage, copyMessages, copyCalls, copyContent                string
	standing, dropResult, copyFiles, copySent                          string
	callsBehind, bytesBehind, shownUpTo, insertRan, ran                string
	messagesBytes, callsBytes, message                                 string
	messageAt, messageSizes, messagesFrom                              string
	recentMessages, stateBefore, dropState                             string
	calls, insertCall, callSizes, callsFrom                            string
	startCall, setResult, callHas                                      string
	insertContent, content, contentSize                                string
	addFile, saveFile, releaseFile, file, fileAt, filesHeld            string
	giveUpFile, giveUpFiles, giveUpLinked, goneFiles, dropFile         string
	adoptFile, dropUnsent, eraseUnsent                                 string
	clarifications, insertClarification                                string
	clarificationsOfTurns, turnsBytes, unpublishedAsked                string
	updateClarification, clarification, dropForged                     string
	ofTurn, questions, remembered                                      string
	openOfTurns, openOfPrograms, openSizes, openBytes                  string
	openFrom, deferredBytes, ofCall, askedBy, askedOpen, askedDone     string
	standingSizes, callQuestionSizes                                   string
	clarificationsStanding, clarificationsOfCalls                      string
	closedSizes, queueBytes, draftBytes, countAsked                    string
	runMessages, askedSizes, doneSizes, decidedSizes                   string
	recentSizes, extent, callExtent, firstOpen, nextEnd                string
	fits, saveFit, copyFits, dropCaller, staleCallers                  string
	basis, saveBasis, dropBasis, caller, saveCaller, moveCaller        string
	clientTools, saveClientTools, dropClientTools                      string
	queue, enqueue, dequeue, putFirst, isQueued                        string
	key, saveKey, dropOldKeys, claimed, dropKeys                       string
	deferMessage, deferred, dropDeferred, unpublished, messageDeferred string
	heartbeat, giveUp, dropOldNodes                                    string
	putRelayed, relayed, takeRelayed, dropRelayed                      string
	conversations, conversationsAfter                                  string
	folded, foldedAfter, member, members, listedMembers, listedChat    string
	askedIn, texts, textSizes, openTextSizes, askedTextSizes           string
	placedOfSubject, pendingOfRole, pendingOfAlso                      string
	saveDraft, saveSeen, saveInWords, saveTold, saveWaited             string
	saveEscalated, insertAlso, dropAlso                                string
	pendingOfApp, allPending, nextApp                                  string
	talliedStates, talliedWaits                                        string
	talliedQuestions, tooks, exampleOf, exampleSizes                   string
	expired, gone, escalating, abandoned, owned, waiting, stale        string
	endedEphemeral, isAbandoned                                        string
	insertAudit, audit, auditOfApp, lockByRef, auditPlaces             string
	auditSizes, auditOfAppSizes                                        string
	memoryPageSizes, memoryPageAfterSizes, contentLength               string
	auditHead, readAuditHead, saveAuditHead                            string
	newestAudit, auditHeads, nextChain                                 string
	auditLinks, erasedLinks, unchained                                 string
	probe, clock                                                       string
	used, use, useUpTo, dropMeters                                     string
	insertNews, deleteNews, newsOfDeleted, alsoNewsOfDeleted           string
	dropNews, dropCopied                                               string
	newsOfSubject, newsOfRole, newsOfAsker                             string
	allNews, newsHead, endsOfSubject, allEnds, lastEnd                 string
	memories, memoryPage, memoryPageAfter, memory                      string
	saveMemory, lockMemories, countMemories, trimMemories              string
	editMemory, deleteMemory, deleteMemories, forgetKey                string
	lockChat, dropMemories                                             string
	chatsOf, eraseMeters, eraseNews, dropStaleCaller, eraseCallers     string
	stored, eraseStored, saidBy                                        string
	branches, messageOf, answerOf, beginningOf                         string
	saidNext, saveDelivered                                            string
	instruct, instructions, dropInstructions, copyInstructions         string
	noticeStatements
	deliveryStatements
	folderStatements
	nodeStatements
}{
	head:     selectHead,
	lockHead: selectHead + ` for_update()`,
	insertHead: `INSERT INTO conversations (language, fence, event_fence, event_seq, created_at, updated_at, ephemeral, asking, unpublished, title, title_by, written_at, used_with, coded, lasting, queued,
		` + turnColumns + `, ` + refColumns + `, id, forked_from, root)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	updateHead: `UPDATE conversations SET language = ?, fence = ?, event_fence = ?, event_seq = ?, created_at = ?,
		updated_at = ?, ephemeral = ?, asking = ?, unpublished = ?, title = ?, title_by = ?, written_at = ?, used_with = ?, coded = ?, lasting = ?, queued = ?, turn_id = ?, turn_state = ?, turn_language = ?, turn_interactive = ?, turn_steps = ?,
		turn_finish_reason = ?, turn_input_tokens = ?, turn_output_tokens = ?, turn_cached_tokens = ?, turn_reasoning_tokens = ?, turn_owner = ?, turn_started_at = ?,
		turn_ended_at = ? WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?`,
	saveOrigin: `UPDATE conversations SET forked_from = ?, root = ? WHERE id = ?`,
	updateHeld: `UPDATE conversations SET event_fence = ?, event_seq = ?, turn_steps = ?,
		turn_finish_reason = ?, turn_input_tokens = ?, turn_output_tokens = ?, turn_cached_tokens = ?, turn_reasoning_tokens = ?,
		updated_at = ?, turn_state = ?, turn_owner = ?, turn_ended_at = ? ` + ofHeld,
	updateStep: `UPDATE conversations SET event_fence = ?, event_seq = ?, turn_steps = ?,
		turn_finish_reason = ?, turn_input_tokens = ?, turn_output_tokens = ?, turn_cached_tokens = ?, turn_reasoning_tokens = ? ` + ofHeld,
	deleteHead:   `DELETE FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ? AND updated_at < ?`,
	deleteLinked: `DELETE FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND chat_id > ? AND chat_id < ?`,

	run:     `SELECT ` + readRunColumns + ` FROM runs WHERE conversation_id = ? AND fence = ?`,
	saveRun: `INSERT INTO runs (conversation_id, fence, ` + runColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ` + setRun,
	// endRun also numbers the run's end among the news.
	endRun: `INSERT INTO runs (conversation_id, fence, ` + runColumns + `, told) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, news_base() + ?) ` + setRun + `, told = excluded.told`,

	branches: branchesOf, messageOf: messageOfClient, answerOf: answerOfClient, beginningOf: beginningOfTurn, saidNext: saidBehind, saveDelivered: markDelivered,
	lastRun: `SELECT fence, ` + readRunColumns + `
		FROM runs WHERE conversation_id = ? AND turn_id = ? ORDER BY fence DESC LIMIT 1`,

	messages: `SELECT ` + messageColumns + shownColumns + `
		FROM messages WHERE conversation_id = ? ORDER BY position`,
	message:      `SELECT ` + messageColumns + ` FROM messages WHERE conversation_id = ? AND id = ?`,
	messageAt:    `SELECT position FROM messages WHERE conversation_id = ? AND id = ?`,
	messageSizes: `SELECT position, octet_length(content) + octet_length(thinking) FROM messages WHERE conversation_id = ? AND position < ? ORDER BY position DESC LIMIT ?`,
	messagesFrom: `SELECT ` + messageColumns + shownColumns + `
		FROM messages WHERE conversation_id = ? AND position >= ? AND position < ? ORDER BY position`,
	recentMessages: `SELECT ` + messageColumns + ownColumns + `
		FROM messages WHERE conversation_id = ? AND position >= ? ORDER BY position`,
	stateBefore: `SELECT coalesce(sum(octet_length(state)), 0) FROM messages WHERE conversation_id = ? AND position < ?`,
	dropState:   `UPDATE messages SET state = '' WHERE conversation_id = ? AND turn_id <> ? AND octet_length(state) > 0`,
	insertMessage: `INSERT INTO messages (conversation_id, ` + messageColumns + shownColumns + ownColumns + `, client_id)
		VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM messages WHERE conversation_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	dropText: `DELETE FROM messages WHERE conversation_id = ? AND fence = ? AND role = 'assistant'
		AND position = (SELECT max(position) FROM messages WHERE conversation_id = ? AND turn_id <> '')
		AND position NOT IN (SELECT message FROM tool_calls WHERE conversation_id = ?)`,

	forkedMessage: `SELECT ` + messageColumns + ` FROM messages WHERE conversation_id = ?
		AND position = (SELECT message FROM tool_calls WHERE conversation_id = ? AND id = ?)`,
	standing: `SELECT position FROM messages WHERE conversation_id = ? AND position <= ? AND asked_by <> '' ORDER BY position`,
	copyMessages: `INSERT INTO messages (conversation_id, ` + messageColumns + shownColumns + ownColumns + `, client_id)
		SELECT ?, position - ?, id, CASE WHEN turn_id = ? THEN ? ELSE turn_id END,
			fence, role, content, created_at, asked_by, clarification_id, files, thinking, seq, spans, made_by, state, client_id
		FROM messages WHERE conversation_id = ? AND position > ? AND position < ?`,
	copyCalls: `INSERT INTO tool_calls (conversation_id, message, position, id, name, arguments, spoiled, started,
		result_fence, result_seq, result, error_code, error_message, error_reason, content)
		SELECT ?, message - ?, position, id, name, arguments, spoiled, started, result_fence, result_seq, result, error_code, error_message, error_reason, content
		FROM tool_calls WHERE conversation_id = ? AND message > ? AND message < ?`,
	dropResult: `UPDATE tool_calls SET result_fence = NULL, result_seq = 0, result = '', error_code = NULL, error_message = '', error_reason = '', content = ''
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
	messagesBytes: `SELECT coalesce(sum(octet_length(content) + octet_length(thinking) + octet_length(state)), 0) FROM messages
		WHERE conversation_id = ? AND position <= ? AND turn_id <> ''`,
	callsBytes: `SELECT coalesce(sum(octet_length(arguments) + octet_length(result) + octet_length(content)), 0) FROM tool_calls
		WHERE conversation_id = ? AND message <= ?`,
	bytesBehind: `SELECT coalesce(sum(octet_length(arguments)), 0) FROM tool_calls WHERE conversation_id = ? AND message > ?`,
	insertRan:   `INSERT INTO ran (conversation_id, tool, digest) VALUES (?, ?, ?) ON CONFLICT (conversation_id, tool, digest) DO NOTHING`,
	ran:         `SELECT tool, digest FROM ran WHERE conversation_id = ?`,

	calls: `SELECT message, position, id, name, arguments, spoiled, started, result_fence, result_seq, result, error_code, error_message, error_reason, content
		FROM tool_calls WHERE conversation_id = ?`,
	callSizes: `SELECT message, octet_length(arguments) + octet_length(result) + octet_length(content) FROM tool_calls WHERE conversation_id = ? AND message >= ? AND message < ?`,
	callsFrom: `SELECT message, position, id, name, arguments, spoiled, started, result_fence, result_seq, result, error_code, error_message, error_reason, content
		FROM tool_calls WHERE conversation_id = ? AND message >= ? AND message < ?`,
	insertCall: `INSERT INTO tool_calls (conversation_id, message, position, id, name, arguments, spoiled, started,
		result_fence, result_seq, result, error_code, error_message, error_reason, content)
		VALUES (?, (SELECT max(position) FROM messages WHERE conversation_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	startCall: `UPDATE tool_calls SET started = ? WHERE conversation_id = ? AND id = ?`,
	setResult: `UPDATE tool_calls SET result_fence = ?, result_seq = ?, result = ?, error_code = ?, error_message = ?, error_reason = ?, content = ?
		WHERE conversation_id = ? AND id = ? AND result_fence IS NULL`,
	insertContent: `INSERT INTO contents (conversation_id, id, media, size, bytes) VALUES (?, ?, ?, ?, ?)`,
	content:       `SELECT media, bytes FROM contents WHERE conversation_id = ? AND id = ?`,
	contentLength: `SELECT size FROM contents WHERE conversation_id = ? AND id = ?`,
	contentSize:   `SELECT coalesce(sum(size), 0) FROM contents WHERE conversation_id = ?`,
	addFile:       `INSERT INTO files (conversation_id, id, name, type, size, clarification_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
	saveFile:      `UPDATE files SET type = ?, size = ?, clarification_id = ? WHERE conversation_id = ? AND id = ?`,
	releaseFile:   `UPDATE files SET clarification_id = '', created_at = ? WHERE conversation_id = ? AND id = ?`,
	file:          `SELECT id, name, type, size, clarification_id, created_at FROM files WHERE conversation_id = ? AND id = ? AND size >= 0`,
	fileAt: `SELECT f.id, f.name, f.type, f.size, f.clarification_id, f.created_at FROM files f JOIN conversations c ON c.id = f.conversation_id
		WHERE f.id = ? AND f.size >= 0 AND c.tenant = ? AND c.subject = ? AND c.app = ? AND c.chat_id = ?`,
	filesHeld:   `SELECT count(*), coalesce(sum(size) FILTER (WHERE size > 0), 0) FROM files WHERE conversation_id = ?`,
	giveUpFile:  `UPDATE files SET conversation_id = NULL, size = 0 WHERE conversation_id = ? AND id = ? AND clarification_id = ''`,
	giveUpFiles: `UPDATE files SET conversation_id = NULL WHERE clarification_id = '' AND conversation_id IS NOT NULL AND created_at < ?`,
	giveUpLinked: `UPDATE files SET conversation_id = NULL WHERE clarification_id = '' AND conversation_id IS NOT NULL AND created_at < ?
		AND EXISTS (SELECT 1 FROM conversations c WHERE c.id = files.conversation_id AND c.fence = 0 AND c.chat_id LIKE '%:%')`,
	goneFiles: `SELECT f.seq, f.id, EXISTS (SELECT 1 FROM files o WHERE o.id = f.id AND o.conversation_id IS NOT NULL)
		FROM files f WHERE f.conversation_id IS NULL AND (f.size >= 0 OR f.created_at < ?) ORDER BY f.conversation_id, f.id LIMIT ?`,
	adoptFile: `UPDATE files SET conversation_id = ? WHERE id = ? AND size >= 0 AND conversation_id =
		(SELECT c.id FROM conversations c WHERE c.tenant = ? AND c.subject = ? AND c.app = ? AND c.chat_id = ?)`,
	dropUnsent:  `DELETE FROM conversations WHERE fence = 0 AND updated_at < ?`,
	eraseUnsent: `DELETE FROM conversations WHERE tenant = ? AND subject = ?`,
	dropFile:    `DELETE FROM files WHERE seq = ? AND conversation_id IS NULL`,
	callHas:     `SELECT count(*) FROM tool_calls WHERE conversation_id = ? AND id = ?`,

	clarifications:        `SELECT ` + clarificationColumns + ` FROM clarifications WHERE conversation_id = ?`,
	clarificationsOfTurns: `SELECT ` + clarificationColumns + ` FROM clarifications WHERE conversation_id = ? AND ` + ofProgram + ` = 0`,
	turnsBytes:            `SELECT coalesce(sum(` + sizeOf + `), 0) FROM clarifications WHERE conversation_id = ? AND ` + ofProgram + ` = 0`,
	unpublishedAsked: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND done_fence = 0 AND asker <> '' AND (asked_fence = 0 OR state <> 'pending')`,
	insertClarification: `INSERT INTO clarifications (` + clarificationColumns + `, kind, template, shape, took, choice)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	updateClarification: `UPDATE clarifications SET state = ?, answer = ?, remembered = ?, asked_fence = ?, done_fence = ?,
		asked_at = ?, answered_at = ?, expires_at = ?, answered_by = ?, answered_via = ?, answered_as = ?, decisions = ?, decided_fence = ?, draft = NULL,
		took = ?, choice = ?, marks = marks & 97 | ? | ` + againMarks + `
		WHERE id = ? AND conversation_id = ?`,
	saveDraft:     `UPDATE clarifications SET draft = ? WHERE id = ? AND tenant = ? AND subject = ? AND state = 'pending'`,
	saveSeen:      `UPDATE clarifications SET seen_at = ? WHERE id = ? AND state = 'pending' AND seen_at = 0`,
	saveInWords:   `UPDATE clarifications SET marks = marks | ? WHERE id = ? AND state = 'pending'`,
	saveWaited:    `UPDATE clarifications SET waited_at = ? WHERE id = ? AND state = 'pending' AND asker <> '' AND waited_at < ?`,
	saveEscalated: `UPDATE clarifications SET escalated = ?, decided_fence = ?, escalate_at = ? WHERE id = ? AND conversation_id = ? AND state = 'pending'`,
	insertAlso: `INSERT INTO also_asked (conversation_id, clarification_id, tenant, role, asked_at, number) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
	dropAlso: `DELETE FROM also_asked WHERE conversation_id = ? AND clarification_id = ?`,
	saveTold: `UPDATE clarifications SET asked_fence = ?, done_fence = ? WHERE id = ? AND conversation_id = ?`,
	dropForged: `UPDATE clarifications SET state = 'superseded', done_fence = ?, answered_at = ?, draft = NULL
		WHERE id = ? AND conversation_id = ? AND state = 'pending'`,
	ofTurn: `SELECT ` + clarificationColumns + ` FROM clarifications WHERE conversation_id = ? AND ` + ofProgram + ` = 0 AND turn_id = ?`,
	// A chat's own are not looked for in the index of the report, which has all of kind question.
	questions: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND ` + ofProgram + ` = 0 AND coalesce(kind, '') = 'question'`,
	openOfTurns: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND done_fence = 0 AND state = 'pending' AND asker = '' ORDER BY number, id`,
	openOfPrograms: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND done_fence = 0 AND state = 'pending' AND asker <> '' ORDER BY number, id LIMIT ?`,
	openSizes: `SELECT asker <> '', id, ` + sizeOf + ` FROM clarifications
		WHERE conversation_id = ? AND done_fence = 0 AND state = 'pending' ORDER BY number, id`,
	// openBytes counts pending clarifications, and programs' entries that no run has announced.
	openBytes: `SELECT coalesce(sum(` + sizeOf + `), 0) FROM clarifications WHERE conversation_id = ? AND done_fence = 0`,
	openFrom: `SELECT coalesce(sum(` + sizeOf + `), 0) FROM clarifications
		WHERE tenant = ? AND subject = ? AND ` + openNow + ` = 1 AND for_role = ? AND asker = ?`,
	deferredBytes: `SELECT coalesce(sum(octet_length(content)), 0) FROM deferred_messages WHERE conversation_id = ?`,
	queueBytes:    `SELECT coalesce(sum(octet_length(content)), 0) FROM queue WHERE conversation_id = ?`,
	draftBytes: `SELECT coalesce(sum(octet_length(draft)), 0) FROM clarifications WHERE done_fence = 0 AND state = 'pending' AND id <> ?
		AND conversation_id = (SELECT c.conversation_id FROM clarifications c WHERE c.id = ?)`,
	// runMessages reads messages, newest first, with the fence of their run and whether a model made
	// them.
	runMessages: `SELECT position, fence, role = 'assistant' AND turn_id <> '', octet_length(content) + octet_length(thinking) FROM messages
		WHERE conversation_id = ? AND position < ? ORDER BY position DESC LIMIT ?`,
	// What a run asked, or decided about, is open, or was closed by it or a later run.
	askedSizes: `SELECT id, ` + sizeOf + ` FROM clarifications WHERE conversation_id = ? AND done_fence = 0 AND asked_fence > ? AND asked_fence <= ?
		UNION ALL SELECT id, ` + sizeOf + ` FROM clarifications WHERE conversation_id = ? AND done_fence > ? AND asked_fence > ? AND asked_fence <= ?`,
	doneSizes: `SELECT id, ` + sizeOf + ` FROM clarifications WHERE conversation_id = ? AND done_fence > ? AND done_fence <= ?`,
	decidedSizes: `SELECT id, ` + sizeOf + ` FROM clarifications WHERE conversation_id = ? AND done_fence = 0 AND decided_fence > ?
		UNION ALL SELECT id, ` + sizeOf + ` FROM clarifications WHERE conversation_id = ? AND done_fence > ? AND decided_fence > ?`,
	firstOpen: `SELECT id, ` + sizeOf + ` FROM clarifications
		WHERE conversation_id = ? AND done_fence = 0 AND state = 'pending' AND (asker = '') = ? ORDER BY number, id LIMIT 1`,
	nextEnd: `SELECT fence FROM runs WHERE conversation_id = ? AND fence > ? AND finish_reason <> '' ORDER BY fence LIMIT 1`,
	countAsked: `SELECT count(*) FROM clarifications
		WHERE conversation_id = ? AND ` + ofProgram + ` = 0 AND coalesce(kind, '') = 'question' AND state <> 'remembered'`,
	ofCall: `SELECT ` + clarificationColumns + ` FROM clarifications WHERE conversation_id = ? AND ` + ofProgram + ` = 0 AND tool_call_id <> '' AND tool_call_id = ?
		UNION ALL SELECT ` + clarificationColumns + ` FROM clarifications WHERE conversation_id = ? AND ` + ofProgram + ` = 1 AND tool_call_id <> '' AND tool_call_id = ?`,
	askedBy: `SELECT ` + clarificationColumns + ` FROM clarifications WHERE conversation_id = ? AND done_fence = 0 AND asked_fence = ?
		UNION ALL SELECT ` + clarificationColumns + ` FROM clarifications WHERE conversation_id = ? AND done_fence > 0 AND done_fence >= ? AND asked_fence = ?`,
	// askedOpen and askedDone read by which run each was asked: what is open, and a part of the rest, the
	// last that was closed first.
	askedOpen: `SELECT asked_fence, number, id FROM clarifications WHERE conversation_id = ? AND done_fence = 0 AND asked_fence > 0`,
	askedDone: `SELECT asked_fence, number, id, done_fence FROM clarifications WHERE conversation_id = ? AND done_fence > 0
		AND (done_fence, number, id) < (?, ?, ?) ORDER BY done_fence DESC, number DESC, id DESC LIMIT ?`,
	standingSizes: `SELECT m.position, ` + sizeOfJoined + ` FROM messages m JOIN clarifications c ON c.id = m.clarification_id
		WHERE m.conversation_id = ? AND m.position >= ? AND m.position < ?`,
	callQuestionSizes: `SELECT t.message, ` + sizeOfJoined + `
		FROM tool_calls t JOIN clarifications c ON c.conversation_id = t.conversation_id AND (CASE WHEN c.asker = '' THEN 0 ELSE 1 END) = 0 AND c.tool_call_id = t.id AND c.tool_call_id <> ''
		WHERE t.conversation_id = ? AND t.message >= ? AND t.message < ?`,
	// Pending ones are read separately.
	clarificationsStanding: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state <> 'pending' AND id IN (SELECT m.clarification_id FROM messages m WHERE m.conversation_id = ? AND m.position >= ? AND m.position < ?)`,
	clarificationsOfCalls: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE state <> 'pending' AND conversation_id = ? AND ` + ofProgram + ` = 0 AND tool_call_id <> '' AND tool_call_id IN (SELECT t.id FROM tool_calls t WHERE t.conversation_id = ? AND t.message >= ? AND t.message < ?)`,
	closedSizes: `SELECT number, id, ` + sizeOf + ` FROM clarifications
		WHERE conversation_id = ? AND ` + ofProgram + ` = 0 AND state <> 'pending'`,
	remembered: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND remembered = TRUE`,
	recentSizes: `SELECT position, turn_id, octet_length(content) FROM messages WHERE conversation_id = ? AND position < ? AND turn_id <> '' ORDER BY position DESC LIMIT ?`,
	extent: `SELECT count(*) FILTER (WHERE role = 'user'), coalesce(sum(octet_length(content)), 0) FROM messages
		WHERE conversation_id = ? AND position >= ? AND position < ? AND turn_id <> ''`,
	callExtent: `SELECT coalesce(sum(octet_length(arguments) + octet_length(result)), 0) FROM tool_calls
		WHERE conversation_id = ? AND message >= ? AND message < ?`,
	fits: `SELECT model, settings, first_message, max_bytes, per_mille, state_from, prefix FROM fits WHERE conversation_id = ?`,
	saveFit: `INSERT INTO fits (conversation_id, model, settings, first_message, max_bytes, per_mille, state_from, prefix) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (conversation_id, model) DO UPDATE SET settings = excluded.settings,
		first_message = excluded.first_message, max_bytes = excluded.max_bytes, per_mille = excluded.per_mille,
		state_from = excluded.state_from, prefix = excluded.prefix`,
	// copyFits keeps which state a copy up to a position sends; positions move up as in
	// copyMessages.
	copyFits: `INSERT INTO fits (conversation_id, model, settings, first_message, max_bytes, per_mille, state_from, prefix)
		SELECT ?, model, settings, 0, 0, 0, CASE WHEN state_from <= ? THEN state_from ELSE ? END - (SELECT count(*) FROM messages m
			WHERE m.conversation_id = ? AND m.position <= ? AND m.position < fits.state_from AND m.clarification_id <> ''), prefix
		FROM fits WHERE conversation_id = ? AND (state_from > 0 OR prefix <> '')`,
	basis: basisOfTurn, saveBasis: keepBasis, dropBasis: endBasis,
	noticeStatements: onNotices, deliveryStatements: onDeliveries, folderStatements: onFolders, nodeStatements: ofNodes, caller: callerOf, saveCaller: keepCaller, moveCaller: passCaller, dropCaller: endCaller, staleCallers: callersLeft, dropStaleCaller: endCallerLeft, eraseCallers: callersOfPerson,
	clientTools: toolsOfTurn, saveClientTools: keepTools, dropClientTools: endTools,
	instruct: keepInstructions, instructions: instructionsOf, dropInstructions: endInstructions, copyInstructions: forkInstructions,
	isQueued: `SELECT count(*) FROM queue WHERE conversation_id = ? AND id = ?`,
	queue: `SELECT id, content, language, interactive, idempotency_key, created_at, files, client_id
		FROM queue WHERE conversation_id = ? ORDER BY position`,
	enqueue: `INSERT INTO queue (conversation_id, position, id, content, language, interactive, idempotency_key, created_at, files, client_id)
		VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM queue WHERE conversation_id = ?), ?, ?, ?, ?, ?, ?, ?, ?)`,
	dequeue:  `DELETE FROM queue WHERE conversation_id = ? AND id = ?`,
	putFirst: `UPDATE queue SET position = (SELECT min(position) - 1 FROM queue WHERE conversation_id = ?) WHERE conversation_id = ? AND id = ?`,

	key: `SELECT hash, fence, of_id, created_at FROM keys WHERE scope = ? AND key = ? AND created_at >= ?`,
	saveKey: `INSERT INTO keys (scope, key, hash, fence, of_id, created_at, conversation_id) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (scope, key) DO UPDATE SET hash = excluded.hash, fence = excluded.fence, of_id = excluded.of_id,
		created_at = excluded.created_at, conversation_id = excluded.conversation_id WHERE keys.created_at < ?`,
	dropOldKeys: `DELETE FROM keys WHERE scope = ? AND created_at < ?`,
	claimed: `SELECT c.id FROM keys k JOIN clarifications c ON c.id = k.of_id
		WHERE k.scope = ? AND k.key >= ? AND k.key < ? AND c.state = 'pending' ORDER BY k.key LIMIT ?`,
	dropKeys: `DELETE FROM keys WHERE conversation_id IS NOT NULL AND created_at < ?`,

	deferMessage: `INSERT INTO deferred_messages (conversation_id, position, id, content, asked_by, created_at)
		VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM deferred_messages WHERE conversation_id = ?), ?, ?, ?, ?)`,
	deferred:        `SELECT id, content, asked_by, created_at FROM deferred_messages WHERE conversation_id = ? ORDER BY position`,
	messageDeferred: `SELECT id, content, asked_by, created_at FROM deferred_messages WHERE conversation_id = ? AND id = ?`,
	dropDeferred:    `DELETE FROM deferred_messages WHERE conversation_id = ?`,
	unpublished: `SELECT ` + refColumns + ` FROM conversations
		WHERE unpublished AND turn_state <> 'running' ORDER BY updated_at LIMIT ?`,

	heartbeat: `INSERT INTO nodes (lease_until, held_since, id, lapsed) VALUES (now_ms() + ?, now_ms(), ?, TRUE)
		ON CONFLICT (id) DO UPDATE SET lapsed = nodes.lease_until <= now_ms(), lease_until = excluded.lease_until,
		held_since = CASE WHEN nodes.lease_until <= now_ms() THEN excluded.held_since ELSE nodes.held_since END
		RETURNING lapsed, (SELECT count(*) FROM nodes others WHERE others.id <> nodes.id AND others.lease_until > now_ms())`,
	giveUp:       `DELETE FROM nodes WHERE id = ? RETURNING lease_until <= now_ms(), 0`,
	dropOldNodes: `DELETE FROM nodes WHERE lease_until < now_ms() - ?`,

	putRelayed:  `INSERT INTO relayed (key, message, expires_at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET message = excluded.message, expires_at = excluded.expires_at`,
	relayed:     `SELECT 1 FROM relayed WHERE key = ? AND expires_at > ?`,
	takeRelayed: `DELETE FROM relayed WHERE key = ? AND expires_at > ? RETURNING message`,
	dropRelayed: `DELETE FROM relayed WHERE expires_at <= ?`,

	conversations: `SELECT ` + refColumns + `, ` + headColumns + beginning + ` FROM conversations c
		WHERE tenant = ? AND subject = ? AND app = ? AND NOT lasting
		ORDER BY updated_at DESC, chat_id DESC LIMIT ?`,
	conversationsAfter: `SELECT ` + refColumns + `, ` + headColumns + beginning + ` FROM conversations c
		WHERE tenant = ? AND subject = ? AND app = ? AND NOT lasting AND (updated_at, chat_id) < (?, ?)
		ORDER BY updated_at DESC, chat_id DESC LIMIT ?`,
	folded: listedChats + newestOfFamily, foldedAfter: listedChats + ` AND (updated_at, chat_id) < (?, ?)` + newestOfFamily,
	member: memberByRef, members: familyMembers, listedMembers: listedOfFamily, listedChat: listedByRef, askedIn: askedOfOwner,
	texts:     `SELECT content FROM messages WHERE conversation_id = ? AND position >= ? ORDER BY position`,
	textSizes: `SELECT position, octet_length(content) FROM messages WHERE conversation_id = ? ORDER BY position DESC LIMIT ?`,
	// The newest come last among those that are open, and first among the others.
	openTextSizes: `SELECT number, id, ` + sizeOf + ` FROM clarifications
		WHERE conversation_id = ? AND done_fence = 0 AND kind = 'question' ORDER BY number DESC, id DESC LIMIT ?`,
	askedTextSizes: `SELECT number, id, ` + sizeOf + ` FROM clarifications
		WHERE conversation_id = ? AND done_fence > 0 AND kind = 'question' ORDER BY done_fence DESC, number DESC, id DESC LIMIT ?`,
	placedOfSubject: `SELECT ` + changed + `, ` + listNumber + `, id, ` + sizeOf + ` FROM clarifications
		WHERE tenant = ? AND subject = ? AND ` + openNow + ` = ? AND ` + changed + ` >= ? AND (? OR chat_id = ?) AND (? OR app = ?)
		AND (` + changed + `, ` + listNumber + `, id) > (?, ?, ?) ORDER BY ` + changed + `, ` + listNumber + `, id LIMIT ?`,
	pendingOfRole: `SELECT ` + placeColumns + ` FROM clarifications
		WHERE state = 'pending' AND for_role <> '' AND tenant = ? AND for_role = ? AND subject <> ? AND asker <> ?
		AND (? OR app = ?) AND (? OR chat_id = ?)
		AND (asked_at, number, id) > (?, ?, ?) ORDER BY asked_at, number, id LIMIT ?`,
	pendingOfAlso: `SELECT a.asked_at, a.number, a.clarification_id, ` + sizeOfJoined + ` FROM also_asked a JOIN clarifications c ON c.id = a.clarification_id
		WHERE c.state = 'pending' AND a.tenant = ? AND a.role = ? AND c.subject <> ? AND c.asker <> ?
		AND (? OR c.app = ?) AND (? OR c.chat_id = ?)
		AND (a.asked_at, a.number, a.clarification_id) > (?, ?, ?) ORDER BY a.asked_at, a.number, a.clarification_id LIMIT ?`,
	clarification: `SELECT ` + clarificationColumns + ` FROM clarifications WHERE id = ?`,

	// pendingOfApp lists those of one app and kind of countedAs, and allPending all of one kind, by app.
	pendingOfApp: `SELECT asked_at, 0, id, ` + sizeOf + ` FROM clarifications
		WHERE ` + countedAs + ` = ? AND app = ? AND (asked_at, id) > (?, ?) ORDER BY asked_at, id LIMIT ?`,
	allPending: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE ` + countedAs + ` = ? AND (app, asked_at, id) > (?, ?, ?) ORDER BY app, asked_at, id LIMIT ?`,
	nextApp: `SELECT app FROM clarifications WHERE ` + countedAs + ` = ? AND app > ? ORDER BY app LIMIT 1`,
	talliedStates: `SELECT (asked_at - ?) / ?, state, count(*) FROM clarifications
		WHERE ` + countedAs + ` = ? AND app = ? AND asked_at >= ? AND ` + original + ` GROUP BY 1, 2 ORDER BY 1, 2`,
	talliedWaits: `SELECT span, max(many),
			max(wait) FILTER (WHERE place = (many * 50 + 99) / 100),
			max(wait) FILTER (WHERE place = (many * 90 + 99) / 100),
			max(wait) FILTER (WHERE place = (many * 99 + 99) / 100)
		FROM (SELECT span, wait,
				row_number() OVER (PARTITION BY span ORDER BY wait) AS place,
				count(*) OVER (PARTITION BY span) AS many
			FROM (SELECT (asked_at - ?) / ? AS span, answered_at - asked_at AS wait FROM clarifications
				WHERE ` + countedAs + ` = 0 AND app = ? AND asked_at >= ? AND ` + original + ` AND state IN ('answered', 'skipped', 'declined')) AS closed) AS placed
		GROUP BY span ORDER BY span`,
	talliedQuestions: `SELECT app, template, shape, model, state, marks, count(*), count(*) FILTER (WHERE seen_at > 0)
		FROM clarifications WHERE kind = 'question' AND ` + original + ` AND asked_at >= ? AND (? OR app = ?)
		GROUP BY app, template, shape, model, state, marks ORDER BY app, template, shape, model, state, marks`,
	tooks:        `SELECT took FROM clarifications ` + questionsOf + ` AND took IS NOT NULL`,
	exampleOf:    `SELECT ` + clarificationColumns + ` FROM clarifications ` + questionsOf + ` AND ` + sizeOf + ` <= ? LIMIT ?`,
	exampleSizes: `SELECT ` + sizeOf + ` FROM clarifications ` + questionsOf + ` AND ` + sizeOf + ` <= ? LIMIT ?`,

	expired:    dueQuestions + `expires_at > 0 AND expires_at <= ?` + inOrderOfDue,
	escalating: dueQuestions + `escalate_at > 0 AND escalate_at <= ?` + inOrderOfDue,
	gone:       dueQuestions + `withdraw_after > 0 AND ` + goneAt + ` <= ?` + inOrderOfDue,
	// Those without an owner are few, while nearly all chats that do not run have none either.
	abandoned: `SELECT ` + refColumns + ` FROM conversations ` + ownerCall + ` WHERE turn_state = 'running' AND turn_owner = ''
		UNION ALL SELECT ` + refColumns + ` FROM conversations WHERE turn_owner > '' AND ` + abandoned + ` LIMIT ?`,
	isAbandoned: `SELECT id FROM conversations WHERE ` + abandoned + ` AND id = ?`,
	owned:       `SELECT ` + refColumns + ` FROM conversations WHERE turn_state = 'running' AND turn_owner = ? LIMIT ?`,
	waiting: `SELECT ` + refColumns + ` FROM conversations
		WHERE queued > 0 AND turn_state = 'ended' ORDER BY updated_at LIMIT ?`,
	stale: `SELECT ` + refColumns + ` FROM conversations
		WHERE turn_state <> 'running' AND turn_owner = '' AND app = ? AND updated_at < ? ORDER BY updated_at LIMIT ? OFFSET ?`,
	endedEphemeral: `SELECT ` + refColumns + ` FROM conversations
		WHERE ephemeral AND queued = 0 AND turn_state = 'ended' AND (NOT lasting OR updated_at < ?) ORDER BY updated_at LIMIT ?`,

	used:       `SELECT used FROM meters WHERE name = ? AND holder = ? AND started = ?`,
	use:        useMeter,
	useUpTo:    useMeter + ` WHERE meters.used + excluded.used <= ?`,
	dropMeters: `DELETE FROM meters WHERE ends < ?`,

	insertNews: `INSERT INTO news (id, ` + newsColumns + `) VALUES (news_base() + ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	newsOfSubject: `SELECT id, ` + newsColumns + ` FROM news
		WHERE tenant = ? AND subject = ? AND id > ? AND id < news_settled() ORDER BY id LIMIT ?`,
	newsOfRole: `SELECT id, ` + newsColumns + ` FROM news
		WHERE tenant = ? AND role = ? AND role <> '' AND id > ? AND id < news_settled() ORDER BY id LIMIT ?`,
	newsOfAsker: `SELECT id, ` + newsColumns + ` FROM news
		WHERE tenant = ? AND asker = ? AND asker <> '' AND id > ? AND id < news_settled() ORDER BY id LIMIT ?`,
	allNews: `SELECT id, ` + newsColumns + `, id < news_settled() FROM news WHERE id > ? ORDER BY id LIMIT ?`,
	// endsOfSubject begins with the chats that have changed lately, wherever SQLite would: hence CROSS.
	endsOfSubject: `SELECT ` + endColumns + ` FROM conversations c CROSS JOIN runs r WHERE r.conversation_id = c.id
		AND c.tenant = ? AND c.subject = ? AND c.updated_at >= now_ms() - ? AND r.told > ? AND r.told < news_settled() AND r.ended_at >= now_ms() - ?
		ORDER BY r.told LIMIT ?`,
	allEnds: `SELECT ` + endColumns + `, r.told < news_settled() FROM runs r CROSS JOIN conversations c WHERE c.id = r.conversation_id
		AND r.told > 0 AND r.told > ? AND r.told < news_ahead() AND r.ended_at >= now_ms() - ? ORDER BY r.told LIMIT ?`,
	lastEnd:  `SELECT told FROM runs WHERE told > 0 AND told < news_settled() ORDER BY told DESC LIMIT 1`,
	dropNews: `DELETE FROM news WHERE at < ? AND id IN (SELECT id FROM news ORDER BY id LIMIT ?)`,
	// If the database was copied from another server, the greatest ids may come from that server.
	dropCopied: `DELETE FROM news WHERE at < ? AND id IN (SELECT id FROM news ORDER BY id DESC LIMIT ?)`,
	newsOfDeleted: `INSERT INTO news (id, ` + newsColumns + `)
		SELECT news_base() + row_number() OVER (ORDER BY number, id), ?, ` + refColumns + `, conversation_id, for_role, asker, ?, id, turn_id, tool_call_id, ?, 0, 0, 0, 0
		FROM clarifications WHERE done_fence = 0 AND state = 'pending'
		AND conversation_id = (SELECT c.id FROM conversations c WHERE c.tenant = ? AND c.subject = ? AND c.app = ? AND c.chat_id = ?)`,
	// alsoNewsOfDeleted is for the holders of further roles alone: the others have that of newsOfDeleted.
	alsoNewsOfDeleted: `INSERT INTO news (id, ` + newsColumns + `)
		SELECT news_base() + 2048 + row_number() OVER (), ?, c.tenant, '', c.app, c.chat_id, c.conversation_id, a.role, '', ?, c.id, c.turn_id, c.tool_call_id, ?, 0, 0, 0, 0
		FROM also_asked a JOIN clarifications c ON c.id = a.clarification_id WHERE c.state = 'pending'
		AND a.conversation_id = (SELECT c.id FROM conversations c WHERE c.tenant = ? AND c.subject = ? AND c.app = ? AND c.chat_id = ?) LIMIT 2000`,
	deleteNews: `DELETE FROM news WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ? AND NOT (type = ?
		AND EXISTS (SELECT 1 FROM clarifications c WHERE c.id = news.clarification_id AND c.state = 'pending'))`,
	newsHead: `SELECT id FROM news WHERE id < news_settled() ORDER BY id DESC LIMIT 1`,

	lockByRef:   `SELECT id FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ? for_update()`,
	auditPlaces: `SELECT chain, seq FROM audit WHERE conversation_id = ? AND chain IS NOT NULL`,
	insertAudit: `INSERT INTO audit (conversation_id, at, app, record, chain, seq, prev, hash, mac) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	audit:       `SELECT ` + auditColumns + ` FROM audit WHERE (at, id) > (?, ?) AND at < ? ORDER BY at, id LIMIT ?`,
	auditSizes:  `SELECT octet_length(record) FROM audit WHERE (at, id) > (?, ?) AND at < ? ORDER BY at, id LIMIT ?`,
	auditOfApp: `SELECT ` + auditColumns + ` FROM audit
		WHERE (at, id) > (?, ?) AND at < ? AND app = ? ORDER BY at, id LIMIT ?`,
	auditOfAppSizes: `SELECT octet_length(record) FROM audit
		WHERE (at, id) > (?, ?) AND at < ? AND app = ? ORDER BY at, id LIMIT ?`,

	auditHead:     `SELECT seq, hash FROM audit_heads WHERE chain = ? for_update()`,
	readAuditHead: `SELECT seq, hash FROM audit_heads WHERE chain = ?`,
	saveAuditHead: `INSERT INTO audit_heads (chain, seq, hash, mac) VALUES (?, ?, ?, ?)
		ON CONFLICT (chain) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, mac = excluded.mac`,
	newestAudit: `SELECT id, coalesce(hash, '') FROM audit ORDER BY id DESC LIMIT 1`,
	auditHeads:  `SELECT chain, seq, hash, coalesce(mac, '') FROM audit_heads WHERE chain > ? ORDER BY chain LIMIT ?`,
	nextChain:   `SELECT id, chain FROM audit WHERE chain > ? ORDER BY chain, seq LIMIT 1`,
	auditLinks: `SELECT id, seq, prev, hash, coalesce(mac, ''), at, app, record FROM audit
		WHERE chain = ? AND seq BETWEEN ? AND ? ORDER BY seq`,
	erasedLinks: `SELECT id, seq, hash, coalesce(mac, '') FROM audit_erased WHERE chain = ? AND seq BETWEEN ? AND ? ORDER BY seq`,
	unchained:   `SELECT id FROM audit WHERE chain IS NULL ORDER BY id LIMIT 1`,

	memories: `SELECT ` + memoryColumns + ` FROM memory WHERE tenant = ? AND subject = ? AND app = ?
		AND (expires_at = 0 OR expires_at > ?) ORDER BY words DESC, updated_at DESC, id DESC`,
	memory: `SELECT ` + memoryColumns + ` FROM memory WHERE id = ?`,
	memoryPage: `SELECT ` + memoryColumns + ` FROM memory WHERE tenant = ? AND subject = ? AND (? OR app = ?)
		AND (expires_at = 0 OR expires_at > ?) ORDER BY updated_at DESC, id DESC LIMIT ?`,
	memoryPageSizes: `SELECT octet_length(content) + octet_length(said) + coalesce(octet_length(answer), 0) FROM memory WHERE tenant = ? AND subject = ? AND (? OR app = ?)
		AND (expires_at = 0 OR expires_at > ?) ORDER BY updated_at DESC, id DESC LIMIT ?`,
	memoryPageAfter: `SELECT ` + memoryColumns + ` FROM memory WHERE tenant = ? AND subject = ? AND (? OR app = ?)
		AND (expires_at = 0 OR expires_at > ?) AND (updated_at, id) < (?, ?) ORDER BY updated_at DESC, id DESC LIMIT ?`,
	memoryPageAfterSizes: `SELECT octet_length(content) + octet_length(said) + coalesce(octet_length(answer), 0) FROM memory WHERE tenant = ? AND subject = ? AND (? OR app = ?)
		AND (expires_at = 0 OR expires_at > ?) AND (updated_at, id) < (?, ?) ORDER BY updated_at DESC, id DESC LIMIT ?`,
	// Words keep their id, so that they can be edited on a page that shows them. Answers given at
	// once are listed in their order, which is that of new ids.
	saveMemory: `INSERT INTO memory (` + memoryColumns + `, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (tenant, subject, app, name, about) DO UPDATE SET content = excluded.content, said = excluded.said, answer = excluded.answer,
		id = CASE WHEN excluded.words = TRUE THEN memory.id ELSE excluded.id END, silent = excluded.silent, updated_at = excluded.updated_at, expires_at = excluded.expires_at`,
	lockMemories: `SELECT name FROM memory WHERE tenant = ? AND subject = ? AND app = ? AND words = TRUE
		ORDER BY updated_at, id for_update()`,
	lockChat:      `SELECT id FROM conversations WHERE id = ? for_update()`,
	countMemories: `SELECT count(*) FROM memory WHERE tenant = ? AND subject = ? AND app = ? AND words = TRUE`,
	trimMemories: `DELETE FROM memory WHERE id IN (SELECT id FROM memory WHERE tenant = ? AND subject = ? AND app = ? AND words = FALSE
		ORDER BY updated_at DESC, id DESC LIMIT 1000 OFFSET ?)`,
	editMemory: `UPDATE memory SET content = ?, said = ?, updated_at = ? WHERE id = ? AND tenant = ? AND subject = ? AND words = TRUE
		AND (expires_at = 0 OR expires_at > ?)`,
	deleteMemory:   `DELETE FROM memory WHERE id = ? AND tenant = ? AND subject = ?`,
	deleteMemories: `DELETE FROM memory WHERE tenant = ? AND subject = ? AND (? OR app = ?)`,
	forgetKey:      `DELETE FROM memory WHERE tenant = ? AND subject = ? AND app = ? AND name = ?`,
	dropMemories:   `DELETE FROM memory WHERE expires_at > 0 AND expires_at < ?`,

	chatsOf: `SELECT ` + refColumns + ` FROM conversations WHERE tenant = ? AND subject = ?
		ORDER BY app, chat_id LIMIT ?`,
	saidBy: `INSERT INTO said (conversation_id, asker, tenant, bytes) VALUES (?, ?, ?, ?)
		ON CONFLICT (conversation_id, asker) DO UPDATE SET bytes = said.bytes + excluded.bytes`,
	stored: `SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM stored WHERE tenant = ? AND subject = ?`,
	eraseStored: `DELETE FROM stored WHERE tenant = ? AND subject = ?
		AND (SELECT sum(bytes) FROM stored WHERE tenant = ? AND subject = ?) <= 0`,
	eraseMeters: `DELETE FROM meters WHERE holder = ?`,
	eraseNews:   `DELETE FROM news WHERE tenant = ? AND subject = ?`,

	probe: `UPDATE conversations SET fence = fence WHERE id = ''`, // no conversation has this id
	clock: `SELECT now_ms()`,
}

package sqldb

// forgets holds the statements that delete an answer, like q, and announce that it is deleted.
var forgets = struct {
	branch, root, sinceOfSubject                    string
	deleteAnswer, saveQuestion, unpublish           string
	result, saveResult, saveText, replaceResult     string
	dropAnswered, dropMemory                        string
	auditOfChat, leaveHash, eraseAudit              string
	unannounced, announced, isDeleted, deletedSizes string
}{
	root:   `SELECT id FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ? for_update()`,
	branch: `SELECT id FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND root = ? AND root <> '' ORDER BY written_at DESC, chat_id DESC for_update()`,
	sinceOfSubject: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE tenant = ? AND subject = ? AND ` + openNow + ` = ? AND ` + changed + ` >= ? AND app = ?`,
	// Of the marks, only those stay that are not about the answer (describe.go).
	deleteAnswer: `UPDATE clarifications SET answer = ?, draft = NULL, choice = NULL, marks = marks & 97, deleted_fence = -1 WHERE id = ?`,
	saveQuestion: `UPDATE clarifications SET question = ? WHERE id = ?`,
	unpublish:    `UPDATE conversations SET unpublished = TRUE WHERE id = ?`,

	result:        `SELECT result FROM tool_calls WHERE conversation_id = ? AND id = ? AND result_fence IS NOT NULL`,
	saveResult:    `UPDATE tool_calls SET result = ?, content = '' WHERE conversation_id = ? AND id = ? AND result_fence IS NOT NULL`,
	saveText:      `UPDATE tool_calls SET result = ? WHERE conversation_id = ? AND id = ? AND result_fence IS NOT NULL`,
	replaceResult: `UPDATE tool_calls SET result = ?, content = '' WHERE conversation_id = ? AND result = ?`,

	dropAnswered: `UPDATE files SET conversation_id = NULL, name = '' WHERE conversation_id = ? AND id = ? AND size >= 0 AND clarification_id IN (?, '')`,
	dropMemory:   `DELETE FROM memory WHERE tenant = ? AND subject = ? AND app = ? AND name = ? AND updated_at = ? AND words = FALSE`,

	auditOfChat: `SELECT id, at, record, chain, seq FROM audit WHERE conversation_id = ? AND chain IS NOT NULL`,
	leaveHash:   `INSERT INTO audit_erased (chain, seq, id, hash, mac) SELECT chain, seq, id, hash, mac FROM audit WHERE id = ?`,
	eraseAudit:  `DELETE FROM audit WHERE id = ?`,

	unannounced: `SELECT ` + clarificationColumns + ` FROM clarifications
		WHERE conversation_id = ? AND deleted_fence <> 0 AND deleted_fence = -1`,
	announced:    `UPDATE clarifications SET deleted_fence = ? WHERE id = ? AND conversation_id = ?`,
	isDeleted:    `SELECT deleted_fence <> 0 FROM clarifications WHERE id = ?`,
	deletedSizes: `SELECT id, ` + sizeOf + ` FROM clarifications WHERE conversation_id = ? AND deleted_fence <> 0 AND deleted_fence > ? AND deleted_fence <= ?`,
}

package store

import (
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// AnswerTx is the part of a Tx that deletes an answer wherever it stands: also in other chats of the
// conversation's owner in the same app, as the only part of a Tx that does. A chat whose answers it
// deletes becomes Unpublished.
type AnswerTx interface {
	// Copies returns the clarification and what forks copied of it with its answer. Until the update
	// ends, no chat of the family is forked.
	Copies(c chat.Clarification) ([]chat.Clarification, error)
	// Since passes visit each clarification of the owner, in the app, that was asked or closed at that
	// time or later. visit must not use the Tx.
	Since(at time.Time, visit func(c *chat.Clarification)) error
	// Delete overwrites the answer with tools.Answer{Deleted: true}. No run has announced that yet.
	Delete(c chat.Clarification) error
	// SaveQuestion overwrites the question.
	SaveQuestion(c chat.Clarification) error
	// Result returns the text of a call's result, "" if it has none. SaveResult overwrites that text, and
	// Replace the results of the chat with that text; what the results show is dropped.
	Result(conversationID, callID string) (string, error)
	SaveResult(conversationID, callID, text string) error
	// SaveText overwrites the text of a call's result, and keeps what the result shows.
	SaveText(conversationID, callID, text string) error
	Replace(conversationID, text, with string) error
	// DropBasis removes the beginning of the prompts of a chat's turn.
	DropBasis(conversationID string) error
	// DropFile takes a file from the chat of the clarification that it answers. Files lists it as gone.
	DropFile(c chat.Clarification, id string) error
	// DropMemory removes the answers of the owner that were remembered in the app under a key at that
	// time.
	DropMemory(key string, at time.Time) error
	// EraseAudit erases those records of chats for which without returns true, which may change the
	// record: it is added again as it is then, unless What is "". If any was erased, the record erased is added,
	// with their places, and belongs to no chat.
	EraseAudit(conversationIDs []string, without func(r *chat.AuditRecord) bool, erased chat.AuditRecord) error
	// Unannounced returns the deleted answers of this chat that no run has announced, in the order of
	// their numbers, and Announced records that the run with this fence does.
	Unannounced() ([]chat.Clarification, error)
	Announced(id string, fence int64) error
}

package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Backend creates the stores under test. Both functions fail the test themselves and, when it ends,
// close what they opened; closing twice must be harmless. Tests that run at the same time call
// them.
type Backend struct {
	// Open opens an empty store.
	Open func(t *testing.T) store.Store
	// Reopen closes old and opens a store on the same data, as a restart does.
	Reopen func(t *testing.T, old store.Store) store.Store
}

// Run runs the suite. Its tests run in parallel, each on its own store, because they wait for the
// disk.
func Run(t *testing.T, b Backend) {
	t.Helper()
	// Not in parallel, because it measures the memory of the process.
	t.Run("waiting questions cost rows", func(t *testing.T) { testWaitingCostsRows(t, b.Open(t)) })
	for _, test := range []struct {
		claim string
		run   func(t *testing.T, s store.Store)
	}{
		{"a conversation is created on commit only", testCreate},
		{"the head and the newest turn are saved", testHeadAndTurn},
		{"a run is saved by its fence", testRuns},
		{"messages keep their order, calls and results", testMessages},
		{"a text that was not finished is dropped", testDropText},
		{"a call has one result", testSetResult},
		{"a clarification is stored and closed", testClarifications},
		{"a view counts the questions of turns", testAsked},
		{"a view of runs has what they decided", testDecided},
		{"idempotency keys last and end", testIdempotency},
		{"an error rolls everything back", testRollback},
		{"a failed write spoils the update", testSpoiled},
		{"a function that panics or exits changes nothing", testAbort},
		{"a run writes while it has the turn", testUpdateAs},
		{"a run does not touch rows that it does not hold", testUpdateAsKeepsTheRest},
		{"a ref is four names", testIsolation},
		{"the positions of many chats are read at once", testPositions},
		{"chats that have begun are told from others", testBegun},
		{"a heartbeat holds the leases of its node", testHeartbeat},
		{"turns without a node, or of lost nodes, are found", testAbandoned},
		{"no lease has lapsed for a node without one", testLapsed},
		{"a call's beginning is noted", testStartCall},
		{"messages wait in order", testQueue},
		{"a message has the files that it was sent with", testAttached},
		{"a link's file belongs to its question", testLinked},
		{"chats whose queued messages may start are found", testWaiting},
		{"stale chats are found", testStale},
		{"ephemeral chats that are over are found", testPassed},
		{"delete leaves nothing", testDelete},
		{"texts are kept byte for byte", testTexts},
		{"large texts are kept", testLarge},
		{"chats are listed newest first", testConversations},
		{"a list shows how its chats begin", testBeginnings},
		{"pages hold still while chats move", testPagesHoldStill},
		{"chats are found by their texts", testSearch},
		{"chats are found by their questions", testSearchQuestions},
		{"a search continues where it stopped", testSearchPages},
		{"pending questions are listed oldest first", testPendingClarifications},
		{"questions are listed by when they last changed", testChangedClarifications},
		{"a list of questions holds still while they close", testListWhileClosing},
		{"a draft waits with its question", testDrafts},
		{"a question is found by its id", testClarification},
		{"the pending questions of all users are listed oldest first", testAllPending},
		{"questions are tallied by app and time", testTallies},
		{"questions are counted by their text", testQuestions},
		{"an answer is compared with the previous one", testAgain},
		{"the audit has everything except what was rolled back", testAudit},
		{"the audit is read in pages", testAuditPages},
		{"records are erased with their chat", testAuditErased},
		{"an answer is deleted wherever it stands", testDeletedAnswers},
		{"records form chains that outlive them", testAuditChain},
		{"chains stay intact when many record", testAuditChains},
		{"a cursor belongs to its list", testCursors},
		{"due questions are found", testDue},
		{"questions whose asker is gone are found", testGone},
		{"pending questions are counted per app", testPendingCounts},
		{"questions and messages of programs come back", testAsker},
		{"questions to roles are listed in their place", testPendingOfRoles},
		{"escalated questions are listed for further roles", testEscalated},
		{"a claim is unique over all chats", testClaims},
		{"deferred work is taken once", testDeferred},
		{"the newest run of a turn is found", testLastRun},
		{"a chat may begin as a copy of a part of another", testFork},
		{"only the owner's chats are copied", testForkOfNothing},
		{"copied questions are not counted again", testCopiedCounts},
		{"a copy has the files of its answers", testForkFiles},
		{"a name stands for a chat and its branches", testBranches},
		{"lines of a history are found in branches", testLines},
		{"a fork of the owner's has a name of its own", testForksAreNamed},
		{"a family is one entry of a list", testFolded},
		{"pages of families hold still", testFoldedPages},
		{"a family is found as one", testFoldedSearch},
		{"answers are found by their messages", testAnswers},
		{"a response that reached its client is recorded", testDelivered},
		{"meters count use", testMeters},
		{"meters outlive chats", testMetersOutliveChats},
		{"meters are exact when many use them", testMetersAreExact},
		{"news are read in order", testNews},
		{"each person gets the news that concern them", testNewsOfWhom},
		{"news are forgotten", testNewsGo},
		{"news of questions in a deleted chat", testNewsOfDeleted},
		{"the ends of runs are news", testNewsOfRuns},
		{"the newest question of a chat", testNewest},
		{"a message is found by its id", testMessage},
		{"a memory belongs to its person", testMemories},
		{"answers are remembered with their update", testRemember},
		{"memories are limited", testMemoriesFull},
		{"a person is erased", testPersons},
		{"due deliveries are made in order", testDeliveries},
		{"deliveries are dropped with their chat and their webhook", testDeliveriesGo},
		{"folders of documents are stored as their nodes know them", testFolders},
		{"deliveries about folders are made in order", testFolderDeliveries},
		{"one of many nodes stores a folder", testFoldersCompete},
		{"people are told in order, reminded, and told that it ended", testNotices},
		{"a question says which channels told no one", testNotTold},
		{"notices and addresses go with their chat, channel and person", testNoticesGo},
		{"questions that were not seen in time are delivered", testUndelivered},
		{"a delivery is claimed once", testClaimsCompete},
		{"a cancelled context changes nothing", testContext},
		{"one of many answers wins", testOneAnswerWins},
		{"caps are exact when many ask", testCapIsExact},
		{"fences only grow when many begin", testFences},
		{"one of many results is kept", testOneResult},
		{"a view is one moment", testViewIsOneMoment},
		{"parts of a chat make the whole", testViewPart},
		{"waiting questions are read up to a limit", testOpenBounded},
		{"closed questions are read up to a limit", testClosedBounded},
		{"pages are bounded in bytes", testPagesBounded},
		{"drafts are bounded in bytes", testDraftsBounded},
		{"a report is bounded in bytes", testReportBounded},
		{"a search is bounded in bytes", testSearchBounded},
		{"the storage of a principal is counted", testStored},
		{"the contents of results come back, and are deleted with their chat", testContents},
		{"files are known until their bytes are gone", testFiles},
		{"the newest part of a chat", testRecent},
		{"the clarifications of the newest part", testRecentQuestions},
		{"the part of a chat that a model is sent", testFits},
		{"the beginning of a turn's prompts", testBasis},
		{"the tools of a turn's client", testClientTools},
		{"callers are kept as long as what is of them", testCallers},
		{"the instructions of a client program with a message", testInstructions},
		{"what a run knows of a chat is not read again", testKnown},
		{"state is read by runs alone, and dropped", testState},
		{"thinking counts in parts of a chat", testThinkingSize},
		{"a copy has the state of what it copies", testForkState},
		{"a closed store is unavailable", testClosed},
	} {
		t.Run(test.claim, func(t *testing.T) {
			t.Parallel()
			test.run(t, b.Open(t))
		})
	}
	for claim, run := range map[string]func(*testing.T, Backend){
		"a restart keeps everything":   testReopen,
		"a restart keeps lazy updates": testLazy,
	} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			run(t, b)
		})
	}
}

// at returns a moment of the suite: minutes after its beginning.
func at(minutes int) time.Time {
	return time.Date(2026, 2, 6, 10, 30, 0, 123e6, time.UTC).Add(time.Duration(minutes) * time.Minute)
}

func ref(chatID string) chat.Ref {
	return chat.Ref{Tenant: "acme", Subject: "alice", App: "translator", ChatID: chatID}
}

// update runs fn on a chat and fails the test if that fails.
func update(t *testing.T, s store.Store, r chat.Ref, fn func(tx store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), r, fn); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

func view(t *testing.T, s store.Store, r chat.Ref) *store.View {
	t.Helper()
	v, err := s.View(t.Context(), r)
	if err != nil {
		t.Fatalf("View: %v", err)
	}
	return v
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

// all runs the functions until one fails.
func all(fns ...func() error) error {
	for _, fn := range fns {
		if err := fn(); err != nil {
			return err
		}
	}
	return nil
}

// begin starts a turn with its run and its user message, as the engine does.
func begin(tx store.Tx, now time.Time) error {
	c := tx.Conversation()
	c.Fence++
	c.UpdatedAt = now
	turn := chat.Turn{
		ID: fmt.Sprintf("trn_%d", c.Fence), State: chat.TurnRunning, Language: "en", Interactive: true,
		LeaseOwner: "node-1", StartedAt: now,
	}
	return all(
		func() error { return tx.BeginTurn(turn) },
		func() error { return tx.SaveRun(chat.Run{Fence: c.Fence, TurnID: turn.ID, StartedAt: now}) },
		func() error {
			return tx.AppendMessage(chat.Message{
				ID: fmt.Sprintf("msg_%s_%d", c.ID, c.Fence), TurnID: turn.ID, Fence: c.Fence,
				Role: chat.RoleUser, Content: "hello", CreatedAt: now,
			})
		},
	)
}

// question returns a pending clarification that uses every field.
func question(id string, number int, asked time.Time) chat.Clarification {
	flags := "u"
	return chat.Clarification{
		ID: id, TurnID: "trn_1", ToolCallID: "call_" + id, ToolName: "ask_user", Arguments: `{"question":"Which?"}`,
		Question: tools.Question{Kind: tools.KindQuestion, MaxAnswer: 4000, Parts: []tools.Part{
			{
				ID: "language", Question: "Which?", Header: "Language", InputType: tools.Multiselect, AllowOther: true, AllowSkip: true,
				Options: []tools.Option{{Label: "French", Value: "fr", Description: "d", Recommended: true}, {Label: "Spanish", Value: "es"}},
				Context: "context",
			},
			{
				ID: "q2", Question: "How many?", InputType: tools.Number, Placeholder: "3",
				Validation: &tools.Validation{Min: &tools.Bound{Number: 0.1}, Max: &tools.Bound{Number: 1e21}, Integer: true, Message: "m"},
			},
			{
				ID: "q3", Question: "When?", InputType: tools.Date,
				Validation: &tools.Validation{Min: &tools.Bound{Date: "2026-01-01"}, Pattern: `^[^}{<>&]+$`, Flags: &flags},
			},
		}},
		Number: number, Max: 10, State: tools.StatePending, AskedFence: 1, AskedAt: asked, Model: "large",
	}
}

func testLazy(t *testing.T, b Backend) {
	s := b.Open(t)
	step := func(fence int64) func(store.Tx) error {
		return func(tx store.Tx) error {
			if got := tx.Conversation().Fence; got != fence-1 {
				t.Errorf("fence %d, want %d", got, fence-1)
			}
			tx.Conversation().Fence = fence
			return nil
		}
	}
	if err := s.UpdateLazily(t.Context(), ref("c"), step(1)); err != nil {
		t.Fatal(err)
	}
	update(t, s, ref("c"), step(2))
	if err := s.UpdateLazily(t.Context(), ref("c"), step(3)); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no")
	if err := s.UpdateLazily(t.Context(), ref("c"), func(tx store.Tx) error { tx.Conversation().Fence = 9; return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	s = b.Reopen(t, s)
	head, _, err := s.Conversation(t.Context(), ref("c"))
	if err != nil || head.Fence != 3 {
		t.Errorf("%+v, %v", head, err)
	}
}

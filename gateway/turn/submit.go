package turn

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// Submit takes a message or an answer. What it returns must be driven. A
// refusal is a *chat.Error, a *tools.AnswerError, a *SpentError or an error of the store,
// and has changed nothing.
func (e *Engine) Submit(ctx context.Context, cmd Command) (*Run, error) {
	if e.draining.Load() {
		return nil, &chat.Error{Code: chat.CodeDraining}
	}
	known, err := e.verify(context.WithoutCancel(ctx), &cmd)
	if err != nil {
		return nil, err
	}
	lane := e.lane(cmd.Ref)
	lane.Lock()
	defer lane.Unlock()
	var s *submission
	// The client may leave at any moment; what it sent is then still taken. A message
	// is followed by its step; an answer is worth waiting for the disk.
	what := "answer"
	if cmd.Message != nil {
		what = "message"
	}
	err = e.update(cmd.Ref, what, cmd.Message != nil, func(tx store.Tx) error {
		s.withdraw() // the store begins anew
		s = &submission{engine: e, setup: e.Setup(), cmd: &cmd, tx: tx, now: time.Now(), verified: known}
		return s.apply()
	})
	if err != nil {
		s.withdraw()
		return nil, err
	}
	switch {
	case s.queued != "":
		return e.waiting(s.head, s.queued), nil
	case s.replay != nil:
		return e.repeat(s.head, s.replay.Fence), nil
	}
	for i := range s.closed {
		e.metrics.closed(&s.closed[i])
	}
	r := s.run()
	if s.remaining {
		r.announce()
		return r, nil
	}
	e.register(r)
	return r, nil
}

// submission is one command on its way through the store.
type submission struct {
	engine *Engine
	setup  *Setup
	app    *config.App
	cmd    *Command
	tx     store.Tx
	now    time.Time

	verified verified // by the sources of options

	// What came of it.
	replay    *chat.Idempotency    // the request was made before
	queued    string               // id of the message that waits for its turn
	head      chat.Conversation    // as committed
	before    chat.EventID         // the chat's last event before this run
	turn      chat.Turn            // as committed
	record    chat.Run             // the new run
	message   *chat.Message        // the user's, where one was stored
	closed    []chat.Clarification // closed by this command
	remaining bool                 // others of the step are still open: nothing runs
	fresh     bool                 // the chat's first message
	eager     *Run                 // the new run, where its model was asked already
	budgets   []Budget             // of the principal
	spent     *SpentError          // the run can only say so: its message was taken before
}

func (s *submission) apply() error {
	app, ok := s.setup.Config.App(s.cmd.Ref.App)
	if !ok { // gone since the caller looked
		return &chat.Error{Code: chat.CodeNotFound}
	}
	s.app = app
	if err := s.repeated(); err != nil || s.replay != nil {
		return err
	}
	if err := s.afford(); err != nil {
		return err
	}
	if wait, err := s.mustWait(); err != nil || wait {
		return err
	}
	s.open()
	var err error
	if s.cmd.Message != nil {
		err = s.takeMessage()
	} else {
		err = s.takeAnswer(s.cmd.Answer)
	}
	if err != nil {
		return err
	}
	if err := s.save(); err != nil {
		return err
	}
	s.askAhead()
	return nil
}

// askAhead has the model begin a new chat's first answer while its message is being
// stored; what it says is read when that is done. It is the last thing that happens in
// the transaction. A store that has failed comes first.
func (s *submission) askAhead() {
	if s.fresh && s.message != nil && !s.engine.doubt.Load() {
		s.eager = s.run()
		s.eager.askAhead()
	}
}

// withdraw takes back what askAhead did, of a submission that came to nothing.
func (s *submission) withdraw() {
	if s != nil && s.eager != nil {
		s.eager.cancel(errLost)
	}
}

// open gives the new run its number.
func (s *submission) open() {
	head := s.tx.Conversation()
	s.before, s.fresh = head.LastEvent, head.Fence == 0
	head.Fence++
	if s.fresh {
		head.Fence = chat.FirstFence(s.now)
	}
	head.UpdatedAt = s.now
	if s.cmd.Language != "" {
		head.Language = s.cmd.Language
	} else if head.Language == "" {
		head.Language = "en"
	}
}

// repeated looks the idempotency key up.
func (s *submission) repeated() error {
	if s.cmd.IdempotencyKey == "" {
		return nil
	}
	known, err := s.tx.Idempotency(s.cmd.IdempotencyKey, s.now.Add(-idempotencyLife))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case known.Hash != s.cmd.Hash:
		return &chat.Error{Code: chat.CodeIdempotencyConflict}
	}
	s.replay, s.head = &known, *s.tx.Conversation()
	if known.Fence == 0 {
		s.queued = known.MessageID
	}
	return nil
}

func (s *submission) save() error {
	head, turn := s.tx.Conversation(), s.tx.Turn()
	turn.Language = head.Language
	if !s.remaining {
		turn.LeaseOwner = s.engine.Node
	}
	s.record.ConversationID, s.record.Fence, s.record.TurnID = head.ID, head.Fence, turn.ID
	s.record.StartedAt = s.now
	head.LastEvent = chat.EventID{Fence: head.Fence, Seq: s.opening()}
	if s.remaining { // the run is over as it begins; others are stored at their end
		s.record.FinishReason, s.record.EndedAt = chat.FinishClarification, s.now
		s.record.LastSeq = s.opening() + 1 // and its done
		head.LastEvent.Seq = s.record.LastSeq
		if err := s.tx.SaveRun(s.record); err != nil {
			return err
		}
	}
	if s.cmd.IdempotencyKey != "" {
		if err := s.remember(head.Fence, ""); err != nil {
			return err
		}
	}
	s.head, s.turn = *head, *turn
	return nil
}

// remember stores what the request's key stands for.
func (s *submission) remember(fence int64, messageID string) error {
	return s.tx.SaveIdempotency(chat.Idempotency{
		Key: s.cmd.IdempotencyKey, Hash: s.cmd.Hash, Fence: fence, MessageID: messageID, CreatedAt: s.now,
	})
}

// opening counts the events that the run opens with (see Run.begin): what a snapshot
// tells from now on.
func (s *submission) opening() int64 {
	n := 1 + len(s.closed)
	if s.message != nil {
		n++
	}
	return int64(n)
}

// takeMessage begins a turn, or answers or supersedes what is pending.
func (s *submission) takeMessage() error {
	turn := s.tx.Turn()
	if turn != nil && turn.State == chat.TurnRunning {
		return &chat.Error{Code: chat.CodeTurnInProgress}
	}
	if turn != nil && turn.State == chat.TurnPaused {
		answered, err := s.messageWhilePending(turn)
		if err != nil || answered {
			return err
		}
	}
	return s.beginTurn()
}

func (s *submission) beginTurn() error {
	head := s.tx.Conversation()
	turn := chat.Turn{
		ID: chat.NewID("turn"), ConversationID: head.ID, Interactive: s.cmd.Interactive, StartedAt: s.now,
	}
	if err := turn.Move(chat.TurnRunning); err != nil {
		return err
	}
	if err := s.tx.BeginTurn(turn); err != nil {
		return err
	}
	id := s.cmd.messageID
	if id == "" {
		id = chat.NewID("msg")
	}
	s.message = &chat.Message{
		ID: id, TurnID: turn.ID, Fence: head.Fence, Role: chat.RoleUser,
		Content: *s.cmd.Message, CreatedAt: s.now,
	}
	return s.tx.AppendMessage(*s.message)
}

// messageWhilePending applies onMessageWhilePending (contract 6.7). True: the message was
// the answer; false: what was pending is closed and the message follows.
func (s *submission) messageWhilePending(turn *chat.Turn) (bool, error) {
	pending, err := s.pending()
	if err != nil {
		return false, err
	}
	policy := s.app.Clarifications.OnMessageWhilePending
	if policy == config.PendingReject && len(pending) > 0 && !s.due(&pending[0]) {
		return false, &chat.Error{Code: chat.CodeClarificationPending, Clarification: &pending[0]}
	}
	if policy == config.PendingAnswer && len(pending) == 1 && !s.due(&pending[0]) {
		c := &pending[0]
		if a, ok := s.read(c); ok {
			turn.Interactive = s.cmd.Interactive
			return true, s.close(turn, c, a)
		}
	}
	for i := range pending {
		c := &pending[i]
		state := tools.StateSuperseded
		if s.due(c) {
			state = tools.StateExpired
		}
		c.State = state
		if err := s.finish(c); err != nil {
			return false, err
		}
	}
	turn.FinishReason, turn.EndedAt = chat.FinishClarification, s.now
	return false, turn.Move(chat.TurnEnded)
}

// takeAnswer closes a clarification; the turn goes on when it was the last.
func (s *submission) takeAnswer(a *Answer) error {
	all, err := s.tx.Clarifications()
	if err != nil {
		return err
	}
	c, err := pick(all, a)
	if err != nil {
		return err
	}
	if s.due(c) {
		c.State = tools.StateExpired
	}
	if err := closedError(c); err != nil {
		return err
	}
	checked, err := s.check(c, a.Answer)
	if err != nil {
		return err
	}
	return s.close(s.tx.Turn(), c, checked)
}

// pick finds the clarification that an answer names: the one that is open, else the
// newest, which says how it ended. One call may have two: its approval, then its input.
func pick(all []chat.Clarification, a *Answer) (*chat.Clarification, error) {
	named := a.ToolCallID != "" || a.ClarificationID != ""
	var found, newest *chat.Clarification
	for i := range all {
		c := &all[i]
		switch {
		case a.ToolCallID != "" && a.ToolCallID != c.ToolCallID, a.ClarificationID != "" && a.ClarificationID != c.ID:
			continue
		case c.State != tools.StatePending:
		case found != nil && !named:
			return nil, &chat.Error{Code: chat.CodeInvalidRequest, Detail: "ambiguous_answer"}
		default:
			found = c
		}
		if newest == nil || c.AskedFence >= newest.AskedFence {
			newest = c
		}
	}
	switch {
	case found != nil:
		return found, nil
	case newest != nil:
		return newest, nil
	default:
		return nil, &chat.Error{Code: chat.CodeNotFound}
	}
}

// closedError refuses an answer to what is closed.
func closedError(c *chat.Clarification) error {
	switch c.State {
	case tools.StatePending:
		return nil
	case tools.StateAnswered, tools.StateSkipped, tools.StateDeclined:
		return &chat.Error{Code: chat.CodeAlreadyAnswered, Clarification: c}
	default:
		return &chat.Error{
			Code: chat.CodeClarificationClosed, Clarification: c, Params: map[string]any{"State": string(c.State)},
		}
	}
}

// close records a checked answer.
func (s *submission) close(turn *chat.Turn, c *chat.Clarification, a tools.Answer) error {
	c.State, c.Answer = a.Outcome(), &a
	if c.Question.Remember != "" { // the newest decision about a tool counts
		if err := revoke(s.tx, c.ToolName); err != nil {
			return err
		}
		c.Remembered = c.Approved() && a.Arguments == nil
	}
	if err := s.finish(c); err != nil {
		return err
	}
	return s.goOn(turn)
}

// finish stores the end of a clarification, announced by this run.
func (s *submission) finish(c *chat.Clarification) error {
	c.AnsweredAt, c.DoneFence = s.now, s.tx.Conversation().Fence
	s.closed = append(s.closed, *c)
	if err := s.tx.SaveClarification(*c); err != nil {
		return err
	}
	return s.auditResolved(c)
}

// goOn resumes the turn if nothing is pending any more.
func (s *submission) goOn(turn *chat.Turn) error {
	s.record.Resumed = true
	pending, err := s.pending()
	if err != nil {
		return err
	}
	s.remaining = len(pending) > 0
	if s.remaining {
		return turn.Move(chat.TurnPaused)
	}
	return turn.Move(chat.TurnRunning)
}

func (s *submission) pending() ([]chat.Clarification, error) {
	all, err := s.tx.Clarifications()
	return slices.DeleteFunc(all, func(c chat.Clarification) bool { return c.State != tools.StatePending }), err
}

// due says that a pending question has expired, though nobody closed it yet.
func (s *submission) due(c *chat.Clarification) bool {
	return c.State == tools.StatePending && !c.ExpiresAt.IsZero() && !s.now.Before(c.ExpiresAt)
}

// run is what Submit returns.
func (s *submission) run() *Run {
	if s.eager != nil {
		return s.eager
	}
	e := s.engine
	takeover := s.message == nil && !s.record.Resumed
	t, log := s.traced(takeover)
	r := &Run{
		engine: e, setup: s.setup, app: s.app, conversation: s.head, turn: s.turn, record: s.record,
		before: s.before, message: s.message, closed: s.closed, takeover: takeover, started: s.now,
		ended: make(chan struct{}), budgets: s.budgets, spent: s.spent, trace: t, log: log,
	}
	if s.fresh {
		r.view = &store.View{Messages: []chat.Message{*s.message}}
	}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	return r
}

// announce publishes a run that consists of one answer of several: nothing is
// driven. It happens under the lane, so that answers appear in their order.
func (r *Run) announce() {
	var frames buffer
	log := r.engine.Hub.Record(r.conversation.ID, r.before, func() {})
	r.rec = stream.NewRecorder(log, &frames, r.conversation.ChatID, r.record.Fence)
	r.begin()
	r.recordDone(chat.FinishClarification)
	r.rec.Publish(true)
	r.rec.Flush()
	r.rec.Close()
	r.frames = frames
	close(r.ended)
	r.trace.End(chat.FinishClarification, r.usage, nil)
	r.engine.metrics.turns.WithLabelValues(r.app.ID, string(chat.FinishClarification)).Inc()
}

// buffer is a sink in memory.
type buffer []byte

func (b *buffer) Write(frames []byte) error {
	*b = append(*b, frames...)
	return nil
}

package trace

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Start is how a run begins.
type Start struct {
	chat.Run
	App      string
	Node     string
	Closed   []chat.Clarification // that this run announces
	Takeover bool                 // another run of this turn died
	Caller   string               // the traceparent of the message or the answer, "" for none
}

// Run is the span of one run. The methods of a nil one do nothing. Safe for concurrent
// use.
type Run struct {
	tracer oteltrace.Tracer
	span   oteltrace.Span
}

// Begin opens a run's span; nil if this turn is not sampled.
func (t *Tracer) Begin(s Start) *Run {
	if t == nil {
		return nil
	}
	by := "message"
	switch {
	case s.Takeover:
		by = "takeover"
	case s.Resumed && len(s.Closed) == 0:
		by = "resume"
	case s.Resumed:
		by = "clarification"
	}
	_, span := t.tracer.Start(named(context.Background(), runOf(s.TurnID, s.Fence)), "invoke_agent "+s.App,
		oteltrace.WithTimestamp(s.StartedAt), oteltrace.WithLinks(links(s)...),
		oteltrace.WithAttributes(
			operationName.String("invoke_agent"), agentID.String(s.App), agentName.String(s.App),
			conversationID.String(s.ConversationID), turn.String(s.TurnID), started.String(by), node.String(s.Node),
		))
	if !span.IsRecording() {
		return nil
	}
	return &Run{t.tracer, span}
}

// links are those to what caused a run.
func links(s Start) []oteltrace.Link {
	var list []oteltrace.Link
	if from := caller(s.Caller); from.IsValid() {
		list = append(list, oteltrace.Link{SpanContext: from, Attributes: []attribute.KeyValue{linkKind.String("caller")}})
	}
	if s.Takeover { // while a turn runs, its chat's runs are all of it
		list = append(list, oteltrace.Link{
			SpanContext: runOf(s.TurnID, s.Fence-1), Attributes: []attribute.KeyValue{linkKind.String("takes_over")},
		})
	}
	for i := range s.Closed {
		c := &s.Closed[i]
		list = append(list, oteltrace.Link{SpanContext: askOf(c), Attributes: append(clarification(c),
			linkKind.String("closes"), clarificationOutcome.String(string(c.State)),
			clarificationWait.Float64(c.AnsweredAt.Sub(c.AskedAt).Seconds()),
		)})
	}
	return list
}

func clarification(c *chat.Clarification) []attribute.KeyValue {
	return []attribute.KeyValue{
		clarificationID.String(c.ID), clarificationKind.String(string(c.Question.Kind)),
		clarificationInput.String(c.Question.InputType()), toolName.String(c.ToolName), toolCallID.String(c.ToolCallID),
	}
}

// ID is the trace's, in lower-case hex digits.
func (r *Run) ID() string { return r.span.SpanContext().TraceID().String() }

// Step is one request to a model.
type Step struct {
	Began      time.Time
	FirstChunk time.Time // zero: none came
	Name       string    // of the model in the configuration
	Provider   string
	Model      string // its name at the provider; "" if it has none
	BaseURL    string // "" for none
	Finish     string // the model's finish reason, "" if it did not finish
	Usage      chat.Usage
	// Outcome is ok, cancelled, or the kind of what went wrong; Status is its HTTP status, 0
	// for none.
	Outcome string
	Status  int
}

// Step adds a request that is over.
func (r *Run) Step(s Step) {
	if r == nil {
		return
	}
	if s.Model == "" {
		s.Model = s.Name
	}
	list := []attribute.KeyValue{
		operationName.String("chat"), providerName.String(s.Provider), requestModel.String(s.Model),
		requestStream.Bool(true), model.String(s.Name),
		inputTokens.Int64(s.Usage.InputTokens), outputTokens.Int64(s.Usage.OutputTokens),
	}
	list = append(list, server(s.BaseURL)...)
	if !s.FirstChunk.IsZero() {
		list = append(list, timeToFirstChunk.Float64(s.FirstChunk.Sub(s.Began).Seconds()))
	}
	if s.Finish != "" {
		list = append(list, finishReasons.StringSlice([]string{s.Finish}))
	}
	if s.Status != 0 {
		list = append(list, httpStatus.Int(s.Status))
	}
	fault := ""
	if s.Outcome != "ok" {
		fault = s.Outcome
	}
	r.add("chat "+s.Model, oteltrace.SpanKindClient, s.Began, fault, list)
}

// server says where a model is.
func server(baseURL string) []attribute.KeyValue {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return nil
	}
	port := map[string]int{"http": 80, "https": 443}[u.Scheme]
	if n, err := strconv.Atoi(u.Port()); err == nil {
		port = n
	}
	return []attribute.KeyValue{serverAddress.String(u.Hostname()), serverPort.Int(port)}
}

// Call adds a tool call that is over, unless it became a question: see Asked.
func (r *Run) Call(call tools.Call, began time.Time, out tools.Outcome) {
	if r == nil || out.Question != nil {
		return
	}
	name, fault := call.Name, ""
	if out.Error != nil {
		fault = out.Error.Code
		if fault == tools.CodeNotAvailable {
			name = "unknown" // a model wrote the name
		}
	}
	r.add("execute_tool "+name, oteltrace.SpanKindInternal, began, fault, []attribute.KeyValue{
		operationName.String("execute_tool"), toolName.String(name), toolCallID.String(call.ID),
	})
}

// Asked adds a clarification that is stored. Its outcome is in the run that announces its
// end, which links to this span.
func (r *Run) Asked(c *chat.Clarification) {
	if r == nil {
		return
	}
	ctx := named(r.context(), askOf(c))
	_, span := r.tracer.Start(ctx, "ask "+string(c.Question.Kind), oteltrace.WithTimestamp(c.AskedAt), oteltrace.WithAttributes(clarification(c)...))
	span.End()
}

// add makes a span of something that is over now. What a person stopped is not an error.
func (r *Run) add(name string, kind oteltrace.SpanKind, began time.Time, fault string, list []attribute.KeyValue) {
	_, span := r.tracer.Start(r.context(), name, oteltrace.WithTimestamp(began), oteltrace.WithSpanKind(kind), oteltrace.WithAttributes(list...))
	failed(span, fault)
	span.End()
}

// context makes the run the parent of a span.
func (r *Run) context() context.Context {
	return oteltrace.ContextWithSpan(context.Background(), r.span)
}

// failed sets the code of what went wrong, "" for nothing.
func failed(span oteltrace.Span, fault string) {
	if fault == "" {
		return
	}
	span.SetAttributes(errorType.String(fault))
	if fault != "cancelled" && fault != tools.CodeCancelled {
		span.SetStatus(codes.Error, "")
	}
}

// End closes the run's span, once. The reason is "" if another run goes on with the turn;
// failure is nil if there was none.
func (r *Run) End(reason chat.FinishReason, usage chat.Usage, failure *chat.Failure) {
	if r == nil {
		return
	}
	if reason == "" {
		reason = "handed_over"
	}
	r.span.SetAttributes(finishReason.String(string(reason)), inputTokens.Int64(usage.InputTokens), outputTokens.Int64(usage.OutputTokens))
	if failure != nil {
		failed(r.span, failure.Code)
	}
	r.span.End()
}

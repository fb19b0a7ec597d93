package trace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strconv"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/askgate/askgate/gateway/chat"
)

// traceOf is the trace of a turn: the first half of the SHA-256 of its id, so that every
// node can compute it, and an operator with a turn's id finds it. Turn ids are random, and
// so are these: samplers by ratio take all of a turn or none of it, whichever nodes run it.
func traceOf(turnID string) (id oteltrace.TraceID) {
	sum := sha256.Sum256([]byte(turnID))
	copy(id[:], sum[:])
	return id
}

// spanOf derives the id of a span that others may link to from its name.
func spanOf(name string) (id oteltrace.SpanID) {
	sum := sha256.Sum256([]byte(name))
	copy(id[:], sum[:])
	return id
}

// askOf is the span in which a clarification was asked.
func askOf(c *chat.Clarification) oteltrace.SpanContext {
	return spanContext(c.TurnID, spanOf(c.ID))
}

// runOf is the span of the turn's run with that fence.
func runOf(turnID string, fence int64) oteltrace.SpanContext {
	return spanContext(turnID, spanOf(turnID+" "+strconv.FormatInt(fence, 10)))
}

// spanContext refers to a span of this gateway, perhaps of another node: if this one is
// sampled, so was that, because the trace's id decides.
func spanContext(turnID string, span oteltrace.SpanID) oteltrace.SpanContext {
	return oteltrace.NewSpanContext(oteltrace.SpanContextConfig{
		TraceID: traceOf(turnID), SpanID: span, TraceFlags: oteltrace.FlagsSampled,
	})
}

// named sets the id of the span that is begun next.
func named(ctx context.Context, span oteltrace.SpanContext) context.Context {
	return context.WithValue(ctx, nameKey{}, span)
}

type nameKey struct{}

// ids gives spans the ids set by named, and random ids to those that nothing links to.
type ids struct{}

// NewIDs implements sdktrace.IDGenerator, for a span without a parent: a run.
func (g ids) NewIDs(ctx context.Context) (oteltrace.TraceID, oteltrace.SpanID) {
	span, _ := ctx.Value(nameKey{}).(oteltrace.SpanContext)
	return span.TraceID(), span.SpanID()
}

// NewSpanID implements sdktrace.IDGenerator.
func (g ids) NewSpanID(ctx context.Context, _ oteltrace.TraceID) (id oteltrace.SpanID) {
	if span, ok := ctx.Value(nameKey{}).(oteltrace.SpanContext); ok {
		return span.SpanID()
	}
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:], rand.Uint64())
	}
	return id
}

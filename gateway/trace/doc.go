// Package trace makes OpenTelemetry traces of turns and sends them to a collector, by
// OTLP over HTTP. It is the only package that knows OpenTelemetry; the engine calls it
// as things happen. A turn is one trace, across its pauses and nodes:
//
//	node A   invoke_agent translator ─┬─ chat qwen3
//	                                  └─ ask question          (span id: of the clarification)
//	              hours, a restart         ^
//	                                       │ link: outcome, seconds waited
//	node B   invoke_agent translator ──────┘
//	                                  ├─ chat qwen3
//	                                  ├─ execute_tool glossary
//	                                  └─ chat qwen3
//
// Nothing is stored for this: the ids of a trace, and of the spans that others link to,
// are hashes of ids that the store has (see ids.go). A run links to its caller's
// traceparent. It is not a child of that, since the trace belongs to the turn.
//
// Names and attributes are those of the semantic conventions for generative AI; the others
// begin with askgate. No span contains what people or models write, or says whose the
// chat is.
//
// Spans wait in memory, up to a bound, until they are sent in the background. Those that
// do not fit, or that the collector does not accept, are dropped and counted.
package trace

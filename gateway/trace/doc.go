// Package trace makes OpenTelemetry traces of turns and sends them to a collector, by
// OTLP over HTTP. It is the only package that knows OpenTelemetry; the engine tells it
// what happened. A turn is one trace, across its pauses and nodes:
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
// are hashes of ids that the store has (see ids.go). A run links to what its caller said
// in traceparent. It is not a child of that, since the trace is the turn's.
//
// Names and attributes are those of the semantic conventions for generative AI; what they
// do not have begins with askgate. No span holds what people or models write, and none
// says whose the chat is.
//
// A span waits in memory, with a bound, until it is sent beside the turns. What does not
// fit, and what the collector does not take, is dropped and counted.
package trace

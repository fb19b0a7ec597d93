// Package witness has the vendors' Go SDKs judge the suite of gateway/prove/providers: a module of
// its own, which nothing shipped imports.
//
//	gateway/prove/providers, run here ── requests, streams, what our clients read ──> a file
//	                                                                                   │
//	openai-go, anthropic-sdk-go, genai <── each request into their types, and each ────┘
//	                                       stream through their decoders
//
// Every member of a request has to be one that the SDK knows, and text, calls, end and tokens of a
// stream have to be the same as ours.
package witness

// Package witness checks the suite of gateway/prove/providers with the vendors' Go SDKs. It is a
// separate module, which nothing shipped imports.
//
//	gateway/prove/providers, run here ── requests, streams, what our clients read ──> a file
//	                                                                                   │
//	openai-go, anthropic-sdk-go, genai <── each request into their types, and each ────┘
//	                                       stream through their decoders
//
// The SDK has to know every member of a request, and must read the same text, calls, end and tokens
// from a stream as our clients.
package witness

package main

import "fmt"

// dialect is how a side is spoken to.
type dialect struct {
	name string
	// at is where a message to a chat of an app goes below a gateway's address, and body what
	// is sent there.
	at, body func(app, chat string) string
	// chunk stands in the line of a chunk, or in the one before it; behind content is its
	// text; done stands in a line of the end. Each is of one kind of frame only.
	chunk, content, done string
}

var native = dialect{
	name:  "askgate",
	at:    func(app, chat string) string { return "/v1/apps/" + app + "/chats/" + chat + "/messages" },
	body:  func(string, string) string { return `{"message":"go"}` },
	chunk: "event: chunk\n", content: `"content":"`, done: "event: done\n",
}

// fronts are the dialects other than the native one, with the least that a client of each sends.
var fronts = []dialect{
	{
		name: "ai-sdk",
		at:   func(app, _ string) string { return "/v1/apps/" + app + "/ai-sdk" },
		body: func(_, chat string) string {
			return fmt.Sprintf(`{"id":%q,"trigger":"submit-message","messages":[{"id":"m1","role":"user","parts":[{"type":"text","text":"go"}]}]}`, chat)
		},
		chunk: `"type":"text-delta"`, content: `"delta":"`, done: "[DONE]",
	},
	{
		name: "ag-ui",
		at:   func(app, _ string) string { return "/v1/apps/" + app + "/ag-ui" },
		body: func(_, chat string) string {
			return fmt.Sprintf(`{"threadId":%q,"runId":"r1","messages":[{"id":"m1","role":"user","content":"go"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, chat)
		},
		chunk: `"TEXT_MESSAGE_CONTENT"`, content: `"delta":"`, done: `"RUN_FINISHED"`,
	},
	{
		name: "openai-chat",
		at:   func(string, string) string { return "/v1/chat/completions" },
		body: func(app, _ string) string {
			return fmt.Sprintf(`{"model":%q,"stream":true,"messages":[{"role":"user","content":"go"}]}`, app)
		},
		chunk: `"chat.completion.chunk"`, content: `"content":"`, done: "[DONE]",
	},
	{
		name: "openai-responses",
		at:   func(string, string) string { return "/v1/responses" },
		body: func(app, _ string) string {
			return fmt.Sprintf(`{"model":%q,"stream":true,"input":"go"}`, app)
		},
		chunk: `"type":"response.output_text.delta"`, content: `"delta":"`, done: `"type":"response.completed"`,
	},
}

// Package native has the handlers of the gateway's own protocol: chats, messages, files,
// questions by their own ids and behind links, memory, and what coding agents' hooks ask. Each
// family is a type that names what it needs of the engine; who calls, how often, and what a
// refusal says is gateway/host's.
package native

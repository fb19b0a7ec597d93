// Package native has the handlers of the gateway's own protocol: chats, messages, files,
// questions by their own ids and behind links, memory, and what coding agents' hooks ask. Each
// family is a type that names what it needs of the engine. Package gateway/host decides who may
// call and how often, and words the refusals.
package native

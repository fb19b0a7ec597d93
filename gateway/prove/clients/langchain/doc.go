// Package langchain runs LangChain's ChatOpenAI against both of the gateway's OpenAI APIs. It
// contains only tests.
package langchain

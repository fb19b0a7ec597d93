// Package langchain runs LangChain's ChatOpenAI against both of the gateway's OpenAI APIs. There
// are only tests in it.
package langchain

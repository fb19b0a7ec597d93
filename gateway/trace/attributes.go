package trace

import "go.opentelemetry.io/otel/attribute"

// The attributes: of the semantic conventions for generative AI as of 2026
// (github.com/open-telemetry/semantic-conventions-genai, status "development"), of the
// general ones, and this gateway's own.
const (
	operationName    = attribute.Key("gen_ai.operation.name")
	providerName     = attribute.Key("gen_ai.provider.name")
	agentID          = attribute.Key("gen_ai.agent.id")
	agentName        = attribute.Key("gen_ai.agent.name")
	conversationID   = attribute.Key("gen_ai.conversation.id")
	requestModel     = attribute.Key("gen_ai.request.model")
	requestStream    = attribute.Key("gen_ai.request.stream")
	finishReasons    = attribute.Key("gen_ai.response.finish_reasons")
	timeToFirstChunk = attribute.Key("gen_ai.response.time_to_first_chunk") // seconds
	inputTokens      = attribute.Key("gen_ai.usage.input_tokens")
	outputTokens     = attribute.Key("gen_ai.usage.output_tokens")
	toolName         = attribute.Key("gen_ai.tool.name")
	toolCallID       = attribute.Key("gen_ai.tool.call.id")

	errorType      = attribute.Key("error.type")
	httpStatus     = attribute.Key("http.response.status_code")
	serverAddress  = attribute.Key("server.address")
	serverPort     = attribute.Key("server.port")
	serviceName    = attribute.Key("service.name")
	serviceVersion = attribute.Key("service.version")

	node                 = attribute.Key("askgate.node")
	turn                 = attribute.Key("askgate.turn.id")
	started              = attribute.Key("askgate.run.started_by") // message, clarification, resume, takeover
	finishReason         = attribute.Key("askgate.finish_reason")
	model                = attribute.Key("askgate.model") // its name in the configuration
	clarificationID      = attribute.Key("askgate.clarification.id")
	clarificationKind    = attribute.Key("askgate.clarification.kind")
	clarificationInput   = attribute.Key("askgate.clarification.input_type")
	clarificationOutcome = attribute.Key("askgate.clarification.outcome")
	clarificationWait    = attribute.Key("askgate.clarification.wait_seconds")
	linkKind             = attribute.Key("askgate.link") // closes, takes_over, caller
)

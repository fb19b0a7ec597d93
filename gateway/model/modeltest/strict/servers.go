package strict

// Servers lists the servers of all providers.
func Servers() []*Kind {
	return []*Kind{
		OpenAI41, OpenAI54, OpenAI56, OpenAI6, Azure,
		Responses56, Responses6, AzureResponses,
		ClaudeBudget, Claude, ClaudeOld,
		Gemini3, Gemini25, GeminiChat,
		Mistral, DeepSeek, Kimi, GLM, MiniMax, Qwen,
		XAI, XAIPlain, Groq, Cerebras, Together, Fireworks,
		OpenRouter, LiteLLM, LiteLLMGemini,
		VLLM, LlamaCpp, Ollama, LMStudio,
	}
}

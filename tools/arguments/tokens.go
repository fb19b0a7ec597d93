package arguments

import "strings"

// specialTokens has the tokens that end a message, a call, or a list of calls in the chat
// template of a model. Servers sometimes leave them after the arguments (livekit/agents#5840,
// 25 May 2026; nearai/ironclaw#5951, 10 July 2026). Each is listed with a report of it, or the
// chat template.
var specialTokens = []string{
	"<|im_end|>",                 // ChatML, Qwen: ik_llama.cpp#958, 14 November 2025
	"<|endoftext|>",              // GPT, Qwen, GLM: obsidian-copilot#2284, 13 March 2026
	"</s>",                       // Mistral, Llama 2: obsidian-copilot#2284
	"<|eot_id|>",                 // Llama 3: vllm#4260, 22 April 2024
	"<|eom_id|>",                 // Llama 3.1, after calls: llama-models#44, 8 August 2024
	"<|call|>",                   // gpt-oss, after calls: sglang#10576, 20 September 2025
	"<|return|>",                 // gpt-oss: the same
	"<|end|>",                    // gpt-oss, Phi: TensorRT-LLM#9256, 26 November 2025
	"<|tool_call_end|>",          // Kimi K2: tool_call_guidance.md of Kimi-K2-Thinking, vllm#28543
	"<|tool_calls_section_end|>", // Kimi K2: the same
	"<｜tool▁call▁end｜>",          // DeepSeek: adk-python#5654, 10 May 2026
	"<｜tool▁calls▁end｜>",         // DeepSeek: the same
	"<｜end▁of▁sentence｜>",        // DeepSeek: chat template of DeepSeek-V3
	"<end_of_turn>",              // Gemma: obsidian-copilot#2284
	"<tool_call|>",               // Gemma 4: llama.cpp#22786; vllm.cpp#526, 12 August 2026
	"</tool_call>",               // Hermes, Qwen: vllm#54964, 2 September 2026
	"<|observation|>",            // GLM, after calls: chat template of GLM-4.7
}

// withoutTokens returns text without special tokens and white space at its end.
func withoutTokens(text string) (rest string, found bool) {
	for {
		text = strings.TrimRight(text, jsonSpace)
		cut := text
		for _, token := range specialTokens {
			cut = strings.TrimSuffix(cut, token)
		}
		if cut == text {
			return text, found
		}
		text, found = cut, true
	}
}

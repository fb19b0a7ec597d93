import { Agent, MCPServerStreamableHttp, OpenAIProvider, Runner } from "@openai/agents";

// By default the library gives up on a call after a minute. The name is shown to
// people as the asker.
const server = new MCPServerStreamableHttp({ name: "travel agent", url: process.env.ASKGATE_MCP, requestInit: { headers: { Authorization: `Bearer ${process.env.ASKGATE_KEY}` } }, timeout: 330_000, clientSessionTimeoutSeconds: 330 });
await server.connect();
const agent = new Agent({ name: "agent", instructions: "Ask instead of guessing.", mcpServers: [server], model: "scripted" });
const provider = new OpenAIProvider({ baseURL: process.env.MODEL_URL, apiKey: "none", useResponses: true });
const result = await new Runner({ modelProvider: provider, tracingDisabled: true }).run(agent, process.argv[2], { stream: true });
await result.completed;
console.log(result.finalOutput);
await server.close();

//go:build agents

package agents_test

// agents lists those that are on npm and run without an account of their maker's, on Linux on x64.
var agents = []agent{
	{
		name:    "claude-code",
		command: []string{"node_modules/@anthropic-ai/claude-code-linux-x64/claude", "-p", prompt, "--mcp-config", "HOME/mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__askgate"},
		env:     []string{"ANTHROPIC_BASE_URL=MODEL", "ANTHROPIC_API_KEY=sk-none", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "MCP_CONNECTION_NONBLOCKING=0"},
		files: map[string]string{
			"mcp.json": `{"mcpServers": {"askgate": {"type": "http", "url": "MCP_URL", "headers": {"Authorization": "Bearer ${ASKGATE_KEY}"}}}}`,
		},
	},
	{
		name:    "codex",
		command: []string{"node", "node_modules/@openai/codex/bin/codex.js", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt},
		env:     []string{"SCRIPTED_KEY=none"},
		files: map[string]string{".codex/config.toml": `model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "MODEL/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[mcp_servers.askgate]
url = "MCP_URL"
bearer_token_env_var = "ASKGATE_KEY"
tool_timeout_sec = 330
`},
	},
	{
		name:    "opencode",
		command: []string{"node_modules/opencode-linux-x64/bin/opencode", "run", prompt},
		env:     []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		files: map[string]string{".config/opencode/opencode.json": `{
			"model": "scripted/scripted",
			"provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "MODEL/v1", "apiKey": "none"}, "models": {"scripted": {}}}},
			"mcp": {"askgate": {"type": "remote", "url": "MCP_URL", "headers": {"Authorization": "Bearer {env:ASKGATE_KEY}"}, "timeout": 330000}},
			"permission": "allow"
		}`},
	},
	{
		name:    "qwen-code",
		command: []string{"node", "node_modules/@qwen-code/qwen-code/cli.js", "-p", prompt, "--yolo", "--auth-type", "openai"},
		env:     []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=MODEL/v1", "OPENAI_MODEL=scripted"},
		files: map[string]string{
			".qwen/settings.json": `{"mcpServers": {"askgate": {"httpUrl": "MCP_URL", "headers": {"Authorization": "Bearer $ASKGATE_KEY"}, "timeout": 330000, "trust": true}}}`,
		},
	},
	{
		name:    "gemini-cli",
		command: []string{"node", "node_modules/@google/gemini-cli/bundle/gemini.js", "-p", prompt, "--yolo", "-m", "gemini-2.5-flash"},
		env:     []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=MODEL", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		files: map[string]string{
			".gemini/settings.json": `{"mcpServers": {"askgate": {"httpUrl": "MCP_URL", "headers": {"Authorization": "Bearer $ASKGATE_KEY"}, "timeout": 330000, "trust": true}}, "security": {"auth": {"selectedType": "gemini-api-key"}}}`,
		},
	},
	{
		name:    "copilot",
		command: []string{"node", "node_modules/@github/copilot/npm-loader.js", "-p", prompt, "--allow-all-tools", "--additional-mcp-config", "@HOME/mcp.json"},
		env:     []string{"COPILOT_PROVIDER_BASE_URL=MODEL/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=scripted", "COPILOT_AUTO_UPDATE=false", "COPILOT_OFFLINE=true"},
		files: map[string]string{
			"mcp.json": `{"mcpServers": {"askgate": {"type": "http", "url": "MCP_URL", "headers": {"Authorization": "Bearer ${ASKGATE_KEY}"}, "tools": ["*"], "timeout": 330000}}}`,
		},
	},
	{
		name:    "cline",
		command: []string{"node_modules/@cline/cli-linux-x64/bin/cline", "-P", "openai-compatible", "-m", "scripted", prompt},
		files: map[string]string{
			".cline/data/settings/providers.json": `{"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}, "providers": {"openai-compatible": {
				"settings": {"provider": "openai-compatible", "apiKey": "none", "model": "scripted", "baseUrl": "MODEL/v1"}, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}}}`,
			".cline/data/settings/cline_mcp_settings.json": `{"mcpServers": {"askgate": {"transport": {"type": "streamableHttp", "url": "MCP_URL", "headers": {"Authorization": "Bearer ag_alice"}}, "timeout": 330}}}`,
		},
	},
	{
		name:    "continue",
		command: []string{"node", "node_modules/@continuedev/cli/dist/cn.js", "-p", prompt, "--config", "HOME/config.yaml", "--auto"},
		env:     []string{"CONTINUE_CLI_ENABLE_TELEMETRY=0", "CONTINUE_TELEMETRY_ENABLED=0"},
		files: map[string]string{"config.yaml": `name: agent
version: 0.0.1
schema: v1
models:
  - name: scripted
    provider: openai
    model: scripted
    apiBase: MODEL/v1
    apiKey: none
    roles: [chat]
mcpServers:
  - name: askgate
    type: streamable-http
    url: MCP_URL
    requestOptions:
      headers:
        Authorization: Bearer ag_alice
`},
	},
}

package config

// gone lists removed keys by file and path, with what replaces them, for the fault in files that still
// have them. Keys that apps can override are listed under gateway.json.
var gone = map[string]string{
	"gateway.json models.*.stepTimeout":           "a request may take ten times its \"timeout\"",
	"gateway.json auth.jwt.skew":                  "clocks may differ by up to a minute",
	"gateway.json auth.jwt.algorithms":            "all public-key signatures are accepted, and no others",
	"gateway.json auth.jwt.claims.interactive":    "a message or an app sets \"interactive\": false instead",
	"gateway.json auth.jwt.claims.mayAsk":         "auth.roles says whom the holders of a role may ask",
	"gateway.json auth.proxy.headers.interactive": "a message or an app sets \"interactive\": false instead",
	"gateway.json auth.proxy.headers.mayAsk":      "auth.roles says whom the holders of a role may ask",
	"gateway.json auth.session.lasts":             "a session lasts 12 hours, but never longer than its token",
	"gateway.json clarifications.maxAnswer":       "a text answer may have up to 4000 characters",
	"gateway.json clarifications.hint":            "the gateway tells the model to ask the rest at once if it may ask several questions in a form",
	"gateway.json limits.readsPerMinute":          "the limit is five times \"requestsPerMinute\"",
	"gateway.json clarifications.repeats":         "a question that was answered in the same turn is not asked again unless the model sends \"again\": true",
	"app.json mcp.tool":                           "the tool is called ask_user, or ask_person for clients that hide that name",
	"app.json onMessageWhileRunning":              "it is now a key of \"clarifications\"",
	"tools.json mcp.elicitation":                  "\"parkTimeout\": \"\" cancels such questions, any other value holds the call open",
	"tools.json templates.*.cache":                "listed options are offered for a minute, and each answer is checked against a new list",
	"tools.json templates.*.expiresIn":            "\"expiresIn\" of clarifications applies to templates too, and the model may set less for a question",
	"tools.json requiresUserInput":                "the type of the tool decides whether its calls wait for a person",
}

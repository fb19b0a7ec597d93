package config

// gone are keys that there were, by file and path: what happens instead, for files that still have
// them. What apps override stands under gateway.json.
var gone = map[string]string{
	"gateway.json models.*.stepTimeout":           "a request may take ten times its \"timeout\"",
	"gateway.json auth.jwt.skew":                  "clocks may be a minute apart",
	"gateway.json auth.jwt.algorithms":            "all signatures with a public key are accepted, and no others",
	"gateway.json auth.jwt.claims.interactive":    "a message or an app says that nobody answers, by \"interactive\": false",
	"gateway.json auth.jwt.claims.mayAsk":         "auth.roles says whom the roles of a caller may ask",
	"gateway.json auth.proxy.headers.interactive": "a message or an app says that nobody answers, by \"interactive\": false",
	"gateway.json auth.proxy.headers.mayAsk":      "auth.roles says whom the roles of a caller may ask",
	"gateway.json auth.session.lasts":             "a session lasts 12 hours, and never longer than its token",
	"gateway.json clarifications.maxAnswer":       "a text answer may have 4000 characters",
	"gateway.json clarifications.hint":            "the model is told to ask the rest at once, wherever it may ask several questions in a form",
	"gateway.json limits.readsPerMinute":          "five times \"requestsPerMinute\"",
	"gateway.json clarifications.repeats":         "a question that was answered in the turn is not asked twice, unless the model says \"again\": true",
	"app.json mcp.tool":                           "the tool is called ask_user, and ask_person for clients that hide that name",
	"app.json onMessageWhileRunning":              "write it into \"clarifications\"",
	"tools.json mcp.elicitation":                  "\"parkTimeout\": \"\" cancels such questions, any other holds the call open",
	"tools.json templates.*.cache":                "listed options are offered for a minute, and each answer is checked against a new list",
	"tools.json templates.*.expiresIn":            "\"expiresIn\" of clarifications holds for templates, too, and the model may say less for a question",
	"tools.json requiresUserInput":                "the type of the tool says whether its calls wait for a person",
}

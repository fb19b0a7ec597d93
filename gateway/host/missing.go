package host

import (
	"slices"
	"strings"
	"unicode"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// These limit what a refusal says about apps.
const (
	maxIDShown   = 100 // characters
	maxAppsNamed = 20
)

// things lists which text says that the last parameter of a route names nothing. Routes whose last
// parameter is not listed go by the one before.
var things = map[string]string{
	"chatId":          "no_chat",
	"clarificationId": "no_question",
	"contentId":       "no_content",
	"fileId":          "no_file",
	"memoryId":        "no_memory",
	"messageId":       "no_queued",
}

// missing returns the id of the text for the thing that a route names last, or "". The text is the same
// whether the thing does not exist or belongs to someone else.
func missing(route string) string {
	parts := strings.Split(route, "/")
	for _, part := range slices.Backward(parts) {
		if id, ok := things[strings.TrimPrefix(part, ":")]; ok && strings.HasPrefix(part, ":") {
			return id
		}
	}
	return ""
}

// NoApp refuses an app that does not exist for the caller. usable lists the apps that the text offers.
func NoApp(id string, usable []*config.App) *Fault {
	return &Fault{Code: chat.CodeNotFound, Detail: "no_app", Params: AppsInstead(id, usable)}
}

// AppsInstead returns the parameters of a text about a missing app: its name, and the apps to use instead.
func AppsInstead(id string, usable []*config.App) map[string]any {
	ids := make([]string, 0, len(usable))
	for _, app := range usable {
		if len(ids) == maxAppsNamed {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, app.ID)
	}
	return map[string]any{"App": Shown(id, maxIDShown), "Apps": strings.Join(ids, ", ")}
}

// Shown returns a client's name for something as a text for people: at most limit characters,
// without invisible ones.
func Shown(name string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range name {
		if n++; n > limit {
			b.WriteRune('…')
			break
		}
		if !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

package askuser

import (
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/secret"
)

var secrets = secret.New(nil)

// HoldsSecret says whether a text about something holds, or is, what no question may ask for:
// the name of it asks for a secret, or a word has the shape of one. It is pure.
func HoldsSecret(about, text string) bool {
	about = strings.NewReplacer("_", " ", ".", " ", "-", " ").Replace(about)
	asked := tools.Part{InputType: tools.Text, Question: "What is your " + about + "?"}
	return len(secrets.Find([]tools.Part{asked})) > 0 || secret.Shaped(text) || slices.ContainsFunc(strings.Fields(text), secret.Shaped)
}

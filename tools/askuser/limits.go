package askuser

import (
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/secret"
)

// Limits of a question that an admin can change.
// A number that is not positive means the contract's default.
type Limits struct {
	MaxQuestions int // questions in one call, default 5
	MaxOptions   int // options of one question, default 20
	MaxAnswer    int // code points of a text answer, default 4000
	// MaxFile is how many bytes a file that answers may have; 0: no question is answered by one.
	MaxFile int64
	// Secrets is what is done with a question that asks for a password or another
	// secret (package secret), default SecretsRefuse.
	Secrets string
	// SecretWords are an admin's own names of secrets, of one or several words.
	SecretWords []string
	// AllowOther is who says that a text may stand in place of a choice's options, default
	// AllowOtherModel.
	AllowOther string
}

// The values of Limits.AllowOther.
const (
	AllowOtherModel  = "model"  // the question itself, by allow_other
	AllowOtherAlways = "always" // all selects and multiselects, but a template that says no
)

// The values of Limits.Secrets.
const (
	SecretsRefuse = "refuse" // the model is told why, the user sees nothing
	SecretsWarn   = "warn"   // the question says so, in Part.Secret
	SecretsAllow  = "allow"  // not checked
)

func (l Limits) orDefaults() Limits {
	for _, d := range []struct {
		n     *int
		value int
	}{{&l.MaxQuestions, 5}, {&l.MaxOptions, 20}, {&l.MaxAnswer, 4000}} {
		if *d.n <= 0 {
			*d.n = d.value
		}
	}
	return l
}

// Words are what a language calls what people say, and models write.
type Words struct {
	Yes, No           string   // labels of a confirm
	YesWords, NoWords []string // what else counts as yes or no in a message, in any case
	SkipWords         []string // what skips in a message, in any case
	OtherWords        []string // labels of options that only stand for a text of one's own; of all languages
}

// Limits in code points.
const (
	maxQuestion    = 500
	maxHeader      = 30
	maxLabel       = 100
	maxValue       = 100
	maxDescription = 300
	maxPlaceholder = 200
	maxPattern     = 200
	maxMessage     = 200
	maxContext     = 500
	maxPreview     = 2000
	maxNote        = 2000
	maxOther       = 2000
)

// Limits on arguments, above what a model writes: five questions at every limit are about
// 250,000 bytes when each code point takes four, or one when all options have previews.
const (
	maxArguments = 256 << 10 // bytes, before parsing
	maxDepth     = 64        // nested arrays and objects
	maxNested    = 3         // JSON inside a JSON string inside ...
	maxFaults    = 5         // listed in one refusal
)

// Tool is the ask_user tool. It holds no state between calls and is safe for
// concurrent use.
type Tool struct {
	limits    Limits
	words     func(language string) Words
	templates []Template
	secrets   *secret.Reader
}

var _ tools.Resumer = (*Tool)(nil)

// New makes the tool. words gives the words of a BCP 47 tag and is called concurrently; nil, or labels it leaves empty, mean English. templates are the
// questions that the model can ask by name.
func New(limits Limits, words func(language string) Words, templates ...Template) *Tool {
	return &Tool{limits: limits.orDefaults(), words: words, templates: templates, secrets: secret.New(limits.SecretWords)}
}

func (t *Tool) wordsOf(language string) Words {
	var w Words
	if t.words != nil {
		w = t.words(language)
	}
	if w.Yes == "" {
		w.Yes = "Yes"
	}
	if w.No == "" {
		w.No = "No"
	}
	return w
}

// count is the length of s in code points.
func count(s string) int { return utf8.RuneCountInString(s) }

// cut shortens s to n code points.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Template is a question that an admin wrote, for the model to ask by its name.
type Template struct {
	Name string
	// Question are its fields in a language, as one JSON object. In
	// question, header, context and placeholder a {name} stands for a value that the
	// model gives.
	Question func(language string) []byte
	// Values are the names that must be given.
	Values []string
	// Arguments are those of the tool that lists the options, a JSON object whose texts
	// may hold {name} too; nil: the options are in Question.
	Arguments []byte
}

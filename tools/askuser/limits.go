package askuser

import (
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/secret"
)

// Limits are the limits of a question that an admin can change. A number that is not
// positive means the default.
type Limits struct {
	MaxQuestions int // questions in one call, default 5
	MaxOptions   int // options of one question, default 20
	MaxAnswer    int // code points of a text answer, default 4000
	// MaxFile is the maximum size of a file as an answer, in bytes; 0: no question takes a file.
	MaxFile int64
	// Secrets selects how a question that asks for a password or another secret is
	// treated (package secret), default SecretsRefuse.
	Secrets string
	// SecretWords are an admin's own names of secrets, of one or several words.
	SecretWords []string
	// Keys are the names of questions that the model is told, sorted by name.
	Keys []Key
	// AllowOther selects which questions take a text in place of a value, default
	// AllowOtherModel.
	AllowOther string
	// AllowSkip selects which questions may be skipped, default AllowSkipModel.
	AllowSkip string
	// NoModel: no model asks, so AllowOther and AllowSkip do not decide in its place, except that
	// AllowOtherAlways is AllowOtherChoices. It is the same for a call of a program.
	NoModel bool
}

// Key is a key that the model is told of.
type Key struct {
	Name        string
	Description func(language string) string // what it stands for; nil, or "", if there is nothing to say
}

// The values of Limits.AllowOther.
const (
	AllowOtherModel   = "model"   // those with allow_other set
	AllowOtherChoices = "choices" // and all selects and multiselects, except templates with allow_other false
	AllowOtherAlways  = "always"  // and all confirms, numbers, dates and times
)

// The values of Limits.AllowSkip.
const (
	AllowSkipModel  = "model"  // those with allow_skip set
	AllowSkipAlways = "always" // all, except templates with allow_skip false
)

// The values of Limits.Secrets.
const (
	SecretsRefuse = "refuse" // the question is refused with a reason; the user sees nothing
	SecretsWarn   = "warn"   // the question is asked with a warning, see Part.Secret
	SecretsAllow  = "allow"  // not checked
)

// of returns the limits for a call.
func (l Limits) of(call tools.Call) Limits {
	if l.NoModel || call.Program {
		l.AllowSkip = AllowSkipModel
		if l.AllowOther == AllowOtherAlways {
			l.AllowOther = AllowOtherChoices
		}
	}
	return l
}

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

// Words are the words of a language that users say and models write.
type Words struct {
	Yes, No           string   // labels of a confirm
	YesWords, NoWords []string // other words for yes and no in a message, in any letter case
	SkipWords         []string // words in a message that skip the question, in any letter case
	OtherWords        []string // labels of options that only mean "write your own", in all languages
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

// Limits of arguments, higher than any model needs: five questions at all their limits have
// about 250,000 bytes if each code point takes four, as does one question whose options all
// have previews.
const (
	maxArguments = 256 << 10 // bytes, before parsing
	maxDepth     = 64        // of nested arrays and objects
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

var (
	_ tools.Resumer        = (*Tool)(nil)
	_ tools.LocalDescriber = (*Tool)(nil)
)

// New returns the tool. words returns the words of a BCP 47 tag and must be safe for
// concurrent use; nil, or empty labels, mean English. templates are the questions that the
// model can ask by name.
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

// count returns the length of s in code points.
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

// Template is a question written by an admin, which the model asks by name.
type Template struct {
	Name string
	// Question returns the fields in a language, as one JSON object. In question, header,
	// context and placeholder, {name} is replaced by the value that the model gives.
	Question func(language string) []byte
	// Values are the names of the values that the model must give.
	Values []string
	// Arguments are the arguments of the tool that lists the options: a JSON object whose
	// texts may also contain {name}. nil: the options are in Question.
	Arguments []byte
}

package config

import (
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
)

// Clarifications limits what the model may ask the user, and how many of its calls are shown for
// approval.
type Clarifications struct {
	PerConversation    int      `json:"perConversation"`    // 0: never ask
	PerTurn            int      `json:"perTurn"`            // 0: never ask
	ApprovalsPerTurn   int      `json:"approvalsPerTurn"`   // calls shown for approval; 0: none, and no call that needs approval is made
	PerPrincipalPerDay int      `json:"perPrincipalPerDay"` // across all apps, per day in UTC; 0: no limit
	PerAskerPerDay     int      `json:"perAskerPerDay"`     // asked by programs of one caller, across all apps, per day in UTC; 0: no limit
	PerAppPerMinute    int      `json:"perAppPerMinute"`    // to all users; 0: no limit
	MaxQuestions       int      `json:"maxQuestions"`       // questions in one call
	MaxOptions         int      `json:"maxOptions"`         // options of one question
	ExpiresIn          Duration `json:"expiresIn"`          // 0: never expires
	Secrets            string   `json:"secrets"`            // what happens to a question that asks for a secret
	SecretWords        []string `json:"secretWords"`        // the admin's own names for secrets
	AllowOther         string   `json:"allowOther"`         // who decides that a question accepts the user's own text
	AllowSkip          string   `json:"allowSkip"`          // who decides that a question may be skipped
	// Keys are the keys of questions that the model is told of, and say how their answers are
	// remembered for a person.
	Keys                  map[string]QuestionKey `json:"keys"`
	OnMessageWhilePending string                 `json:"onMessageWhilePending"`
	OnMessageWhileRunning string                 `json:"onMessageWhileRunning"`
	// RefusesWhileRunning: the admin set OnMessageWhileRunning to PendingReject, so that it is not the
	// default. A message that asks to be queued is then refused, too.
	RefusesWhileRunning bool `json:"-"`
	// NoModel: the questions are not asked by a model, so that AllowOther and AllowSkip do not decide
	// in its place.
	NoModel bool `json:"-"`
}

// The values of Clarifications.Secrets.
const (
	SecretsRefuse = "refuse" // the call is refused
	SecretsWarn   = "warn"   // the question is shown with a warning
	SecretsAllow  = "allow"  // questions are not checked
)

// The values of Clarifications.AllowOther.
const (
	AllowOtherModel  = "model"  // the model decides, for each question
	AllowOtherAlways = "always" // every choice, confirm, number, date and time accepts the user's own text
)

// The values of Clarifications.AllowSkip.
const (
	AllowSkipModel  = "model"  // the model decides, for each question
	AllowSkipAlways = "always" // the user may skip every question of the model
)

// The values of Clarifications.OnMessageWhilePending. PendingQueue stores the message until
// the turn that asked is over.
const (
	PendingAnswer    = "answer"
	PendingSupersede = "supersede"
	PendingReject    = "reject"
	PendingQueue     = "queue"
)

// RunningQueue is a value of Clarifications.OnMessageWhileRunning: the message is stored until the
// turn and its questions are over. The other value is PendingReject: the message is refused.
const RunningQueue = "queue"

// RememberUser is the value of Remember.Remember with which answers are remembered for the user.
const RememberUser = "user"

// Remember says whether, and for how long, answers to a question are remembered for a person.
type Remember struct {
	Remember string   `json:"remember"`    // RememberUser, or "" if answers are not remembered
	For      Duration `json:"rememberFor"` // 0: until the person deletes it
	Silent   bool     `json:"silent"`      // a person may choose to have the answer used without being asked
}

// QuestionKey is a key of questions. The model is told its name and its description.
type QuestionKey struct {
	Remember
	Description Text `json:"-"`
}

const (
	maxKeys        = 100
	maxKeyAbout    = 200 // code points of a description in one language
	maxRememberFor = 3650 * day
	maxSecretWords = 100
	maxSecretWord  = 100 // code points in a name
)

func defaultClarifications() Clarifications {
	return Clarifications{
		PerConversation: 10, PerTurn: 5, ApprovalsPerTurn: 20, MaxQuestions: 5, MaxOptions: 20,
		Secrets: SecretsRefuse, SecretWords: []string{}, Keys: map[string]QuestionKey{}, AllowOther: AllowOtherModel, AllowSkip: AllowSkipModel,
		OnMessageWhilePending: PendingAnswer, OnMessageWhileRunning: PendingReject,
	}
}

func (c *Clarifications) keys() []Key {
	return []Key{
		Int("perConversation", &c.PerConversation, 0, 10_000, "questions in one chat; 0: never ask, and the tool is not offered"),
		Int("perTurn", &c.PerTurn, 0, 10_000, "questions in one turn; 0: never ask"),
		Int("approvalsPerTurn", &c.ApprovalsPerTurn, 0, 10_000, "calls [shown for approval](tools/approval.md#how-many-in-a-turn) in one turn; 0: no one is asked, tools whose calls all need approval are not offered, and no call that needs approval is made"),
		Int("perPrincipalPerDay", &c.PerPrincipalPerDay, 0, 1_000_000, "questions to one user in a day (UTC), across all apps; each app compares the total with its own limit; 0: no limit"),
		Int("perAskerPerDay", &c.PerAskerPerDay, 0, 1_000_000, "questions that programs ask outside a turn for one caller in a day (UTC), across all apps; each app compares the total with its own limit; 0: no limit"),
		Int("perAppPerMinute", &c.PerAppPerMinute, 0, maxPerMinute, "questions from an app to all its users in a clock minute; 0: no limit"),
		Int("maxQuestions", &c.MaxQuestions, 1, 50, "questions in one form"),
		Int("maxOptions", &c.MaxOptions, 2, 500, "options of one question"),
		Length("expiresIn", &c.ExpiresIn, time.Second, 3650*day, "never", "how long a question waits for its answer; empty: forever. The model (`expiresIn` of `ask_user`) may set less for a question; more is cut to this"),
		Word("secrets", &c.Secrets, "policy", []string{SecretsRefuse, SecretsWarn, SecretsAllow}, "what happens to a question that asks for a secret: `refuse`: the model is told to do without, and the user sees nothing; `warn`: the question is asked with a warning; `allow`: questions are not checked. See [secrets](asking.md#questions-that-ask-for-secrets)"),
		Words("secretWords", &c.SecretWords, maxSecretWords, secretWord, "your own names for secrets, 2 to 100 characters each, such as `\"badge number\"`: a question that asks for one counts as asking for a secret (`password`). An app's list replaces the gateway's"),
		Named("keys", Names{tools.KeyPattern, notAKey, maxKeys, "too many keys; the limit is %d", ""}, c.kept, "the keys of questions: the model is told their names, and answers can be [remembered for a person](memory.md#answers-to-questions); an app's replace the gateway's").
			First(func() { c.Keys = map[string]QuestionKey{} }),
		Word("allowOther", &c.AllowOther, "policy", []string{AllowOtherModel, AllowOtherAlways}, "whether a question accepts the user's own text instead of, or in addition to, its value: `model`: if the model says so for the question (`allow_other`); `always`: each `select`, `multiselect`, `confirm`, `number`, `date` and `datetime`, so the model need not say so. A [template](tools/templates.md) decides by its own `allow_other`. See [answers in the person's own words](asking.md#answers-in-the-persons-own-words)"),
		Word("allowSkip", &c.AllowSkip, "policy", []string{AllowSkipModel, AllowSkipAlways}, "whether the user may skip what the model asks: `model`: if the model says so for the question (`allow_skip`); `always`: always. A [template](tools/templates.md) decides by its own `allow_skip`. Approvals, inputs, the app's form, and what programs and MCP servers ask are not affected"),
		Word("onMessageWhilePending", &c.OnMessageWhilePending, "policy", []string{PendingAnswer, PendingSupersede, PendingReject, PendingQueue}, "what a plain message does while a question is open: `answer`: it answers the question if it [reads as an answer](answering.md#plain-messages), and otherwise replaces it; `supersede`: it always replaces it; `reject`: it is refused with 409 `clarification_pending`; `queue`: it waits, as with `onMessageWhileRunning`, until the turn that asked is over, however its questions end. Up to 20 messages can wait in a chat. A message with [`\"queue\": true`](chats.md#a-message-while-a-turn-runs) waits in each case except `reject`"),
		Word("onMessageWhileRunning", &c.OnMessageWhileRunning, "policy", []string{PendingReject, RunningQueue}, "what a message does while a turn runs: `reject`: it is refused with 409 `turn_in_progress`; `queue`: it is stored, waits in order (up to 20 in a chat), and is sent when the turn and its questions are over. A message with [`\"queue\": true`](chats.md#a-message-while-a-turn-runs), such as the page's, waits as well, unless this key is given and `reject`").
			Then(func(n Value) {
				if n.Given() {
					c.RefusesWhileRunning = c.OnMessageWhileRunning == PendingReject
				}
			}),
	}
}

// kept returns the item of a key, which says how its answers are remembered.
func (c *Clarifications) kept(key string) Item {
	k := &QuestionKey{}
	about := Localised("description", &k.Description, maxKeyAbout, "what the key stands for; the model reads it with the name of the key")
	return Item{append(k.keys(), about), func(n Value, _ bool) {
		k.check(n)
		c.Keys[key] = *k
	}}
}

// keys returns the keys of a Remember, in "keys" and in a template.
func (r *Remember) keys() []Key {
	return []Key{
		Word("remember", &r.Remember, "value", []string{RememberUser}, "`\"user\"`: answers are remembered for the person in this app, and offered in the person's later chats as [`earlier`](protocol-asking.md#fields-of-a-question)"),
		Length("rememberFor", &r.For, time.Second, maxRememberFor, "until the person deletes it", "how long an answer is kept; empty: until the person deletes it. Requires `remember`"),
		Bool("silent", &r.Silent, "`true`: if the person ticked \"don't ask again\" (`\"dontAskAgain\": true` with the answer), the answer is used without asking. Requires `remember`"),
	}
}

// check reports keys that have no effect because answers are not remembered.
func (r *Remember) check(n Value) {
	for _, key := range []string{"rememberFor", "silent"} {
		if at := n.Key(key); at.Given() && r.Remember == "" && !n.Key("remember").Given() {
			at.Fault(`%q requires "remember": "user"; add that, or remove the key`, key)
		}
	}
}

// secretWord checks a name for secrets: whether questions can be searched for it.
func secretWord(n Value, name string) bool {
	letters := 0
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	switch size := utf8.RuneCountInString(name); {
	case letters < 2:
		n.Fault("%s has fewer than two letters; write one or more words, such as \"badge number\"", n.Raw())
	case size > maxSecretWord:
		n.Fault("too long: %d characters (limit %d); write only the words that appear in a question", size, maxSecretWord)
	default:
		return true
	}
	return false
}

// notAKey is the error for a name that cannot be the key of a question.
var notAKey = fmt.Sprintf(`is not a valid question key; use 1 to %d of the characters A-Z, a-z, 0-9, "_", "." and "-", like "report_format"`, tools.MaxKey)

package secret_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/secret"
)

// find returns what a question of one part asks for.
func find(p tools.Part) (secret.Finding, bool) {
	if found := secret.New(nil).Find([]tools.Part{p}); len(found) > 0 {
		return found[0], true
	}
	return secret.Finding{}, false
}

func text(question string) tools.Part { return tools.Part{Question: question, InputType: tools.Text} }

// Every text of a question is read, and the finding has the field.
func TestEveryTextIsRead(t *testing.T) {
	for field, p := range map[string]tools.Part{
		"question":           text("What is your password?"),
		"header":             {InputType: tools.Text, Question: "How do I go on?", Header: "Enter your password"},
		"context":            {InputType: tools.Text, Question: "How do I go on?", Context: "Please type your password below."},
		"placeholder":        {InputType: tools.Text, Question: "How do I go on?", Placeholder: "Your password"},
		"validation.message": {InputType: tools.Text, Question: "How do I go on?", Validation: &tools.Validation{Message: "Please enter your password."}},
	} {
		f, ok := find(p)
		if !ok || f.Field != field || f.Kind != secret.Password {
			t.Errorf("%s: %+v, %v", field, f, ok)
		}
	}
}

// A header or context can name what a question without a noun asks for.
func TestTheTopicOfAQuestion(t *testing.T) {
	for name, p := range map[string]tools.Part{
		"header":           {InputType: tools.Text, Header: "API key", Question: "Please enter it here."},
		"context":          {InputType: tools.Text, Context: "The PIN of your SIM is needed.", Question: "Wie lautet sie?"},
		"sentence before":  text("I need an access token. Please paste it below."),
		"a key's shape":    {InputType: tools.Text, Question: "How do I reach Stripe?", Placeholder: "sk_live_..."},
		"a private key's":  {InputType: tools.Text, Question: "How do I sign?", Placeholder: "-----BEGIN OPENSSH PRIVATE KEY-----"},
		"a list of fields": text("Card number, expiry, CVV"),
	} {
		if _, ok := find(p); !ok {
			t.Errorf("%s: not found", name)
		}
	}
	for name, p := range map[string]tools.Part{
		"header":  {InputType: tools.Text, Header: "API key", Question: "How often should it be rotated?"},
		"context": {InputType: tools.Text, Context: "The password is in the vault.", Question: "Which server shall I use?"},
	} {
		if f, ok := find(p); ok {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestOnlyAnswersThatHoldASecretAreJudged: a question asks for a secret only if the user writes it or picks it from a
// list, not if the answer is a yes, a date or a file.
func TestOnlyAnswersThatHoldASecretAreJudged(t *testing.T) {
	for kind, want := range map[tools.InputType]bool{
		tools.Text: true, tools.Number: true, tools.Select: true, tools.Multiselect: true, tools.Confirm: false, tools.Date: false, tools.File: false,
	} {
		p := tools.Part{InputType: kind, Question: "Please enter your PIN."}
		if _, ok := find(p); ok != want {
			t.Errorf("%s: %v, want %v", kind, ok, want)
		}
		p.AllowOther = true
		if _, ok := find(p); !ok {
			t.Errorf("%s with allow_other: not found", kind)
		}
	}
}

// TestOptionsAloneMakeNoSecret: options are the model's own words, so they never make a question ask for a secret, with or
// without allow_other.
func TestOptionsAloneMakeNoSecret(t *testing.T) {
	for question, labels := range map[string][]string{
		"Which auth method should the API use?": {"API key in a header", "Session cookie", "User name and password"},
		"What did you forget?":                  {"Enter my password", "My PIN", "The code you sent me"},
		"How do I go on?":                       {"Type your password", "Paste an API key"},
		"What is the project code?":             {"Password reset", "PIN pad"},
		"Welche Anmeldung soll es geben?":       {"Passwort eingeben", "API-Schlüssel"},
	} {
		for _, other := range []bool{false, true} {
			p := tools.Part{InputType: tools.Select, Question: question, AllowOther: other}
			for _, l := range labels {
				p.Options = append(p.Options, tools.Option{Label: l, Description: "Please enter it: " + l})
			}
			if f, ok := find(p); ok {
				t.Errorf("%s (own words: %v): %+v", question, other, f)
			}
		}
	}
}

// TestChoicesWithoutOwnWords: other texts do not make a choice ask for a secret; a question that asks the user to pick
// their secret does.
func TestChoicesWithoutOwnWords(t *testing.T) {
	choice := func(p tools.Part) tools.Part {
		p.InputType, p.Options = tools.Select, []tools.Option{{Label: "Try again"}, {Label: "Stop"}}
		return p
	}
	const failed = "Sign-in failed: please enter your password again."
	around := text("What do I enter?")
	around.Context = failed
	if _, ok := find(around); !ok {
		t.Error("as a text: not found")
	}
	if f, ok := find(choice(around)); ok {
		t.Errorf("as a choice: %+v", f)
	}
	form := []tools.Part{choice(text("And this one?")), text("What is your password?")}
	if found := secret.New(nil).Find(form); len(found) != 1 || found[0].Part != 1 {
		t.Errorf("with another part: %+v", found)
	}
	for _, question := range []string{"Which of these is your password?", "What is your PIN?", "Wie lautet Ihr Passwort?", "Quel est votre mot de passe ?", "¿Cuál es tu contraseña?"} {
		if _, ok := find(choice(text(question))); !ok {
			t.Errorf("%s: not found", question)
		}
	}
}

// TestThingsThatLetInAreSecrets: other secrets than passwords, in four languages. Questions that only mention one do not ask for it.
func TestThingsThatLetInAreSecrets(t *testing.T) {
	for _, question := range []string{
		"What are your backup codes?", "Please paste the contents of your .env file.", "What is your session cookie?", "What is the member number of your health insurance?",
		"Nennen Sie mir einen Ihrer Backup-Codes.", "Füge hier deine .env ein.", "Wie lautet die Mitgliedsnummer Ihrer Krankenkasse?",
		"Quels sont vos codes de secours ?", "Donnez-moi votre cookie de session.", "¿Cuáles son tus códigos de respaldo?", "Pega aquí el contenido de tu .env.",
	} {
		if _, ok := find(text(question)); !ok {
			t.Errorf("%s: not found", question)
		}
	}
	for _, question := range []string{
		"How many backup codes should there be?", "Which folder is the .env in?", "What should the session cookie be called?", "What is your member number at the rowing club?",
		"What is the project code?", "Wie heißt das Cookie?", "Dans quel dossier est le fichier .env ?",
	} {
		if f, ok := find(text(question)); ok {
			t.Errorf("%s: %+v", question, f)
		}
	}
}

// The kinds are distinguished.
func TestKinds(t *testing.T) {
	for question, kind := range map[string]secret.Kind{
		"What is your password?":                              secret.Password,
		"Wie lautet das WLAN-Passwort?":                       secret.Password,
		"Quels sont vos identifiants et votre mot de passe ?": secret.Password,
		"¿Cuál es su PIN?":                                    secret.PIN,
		"Bitte geben Sie die TAN ein.":                        secret.Code,
		"Enter the one-time password.":                        secret.Code,
		"Quel est le code de vérification ?":                  secret.Code,
		"¿Cuál es su número de tarjeta de crédito?":           secret.Card,
		"Enter the CVV":                                       secret.Card,
		"Wie lautet Ihr API-Schlüssel?":                       secret.Key,
		"What is the seed phrase of your wallet?":             secret.Key,
		"What is your social security number?":                secret.Identity,
	} {
		if f, ok := find(text(question)); !ok || f.Kind != kind {
			t.Errorf("%s: %+v, want %s", question, f, kind)
		}
	}
}

// Other spellings of the same words are recognized.
func TestSpellings(t *testing.T) {
	for name, question := range map[string]string{
		"capitals":          "WHAT IS YOUR PASSWORD?",
		"full width":        "What is your ｐａｓｓｗｏｒｄ?",
		"zero width":        "What is your pass\u200bword?",
		"soft hyphen":       "What is your pass\u00adword?",
		"Cyrillic letters":  "What is your раsswоrd?",
		"accents apart":     "¿Cuál es tu contrasen\u0303a?",
		"without accents":   "Cual es tu contrasena?",
		"umlauts in ASCII":  "Wie lautet der private Schluessel?",
		"typographic":       "What’s your password?",
		"several lines":     "Hello!\nPlease enter\nyour password",
		"two words":         "What is your pass word?",
		"letters apart":     "What is your p a s s w o r d?",
		"hyphens between":   "What is your p-a-s-s-w-o-r-d?",
		"stops between":     "What is your p.a.s.s.w.o.r.d?",
		"any sign between":  "What is your p~a~s~s~w~o~r~d?",
		"signs and blanks":  "What is your P - A - S - S - W - O - R - D?",
		"digits between":    "What is your p_4_s_s_w_0_r_d?",
		"words of letters":  "Quel est votre m-o-t d-e p-a-s-s-e ?",
		"hyphenated French": "Quel est votre mot-de-passe ?",
		"mixed languages":   "Bitte your password eingeben",
		"in quotes":         `Please enter your "password".`,
	} {
		if _, ok := find(text(question)); !ok {
			t.Errorf("%s: %q not found", name, question)
		}
	}
}

// Things similar to a secret, or questions about one, are not secrets, as documented.
func TestWhatIsNoSecret(t *testing.T) {
	for _, question := range []string{
		"How many characters should the password policy require?", "Which password manager do you use?",
		"What colour for the login button?", "Should the API key be rotated monthly?", "Wie viele Schlüssel hat die Tabelle?",
		"What are the key results of the quarter?", "PIN the message?", "Which card layout do you prefer?", "Which code style shall I follow?",
		"What is the promo code?", "What is your postal code?", "Which country code?", "Which error code do you see?",
		"What is your IBAN?", "Wie lautet Ihre IBAN?", "What is your user name?", "What is your e-mail address?", "What is your phone number?",
		"What is the order number?", "Please paste your code here.", "Please paste your public SSH key.", "What is a passphrase?",
		"¿Es tan importante?", "Which pin is the sensor connected to?", "How many tokens may the answer have?", "", "?", "Q",
	} {
		if f, ok := find(text(question)); ok {
			t.Errorf("%q: %+v", question, f)
		}
	}
}

// For any question, Find returns a kind and a field of the question, the same each time.
func FuzzFind(f *testing.F) {
	f.Add("Key", "What is your password?", "password", "Why", "Bad", "Label", true)
	f.Add("", "Bitte geben Sie Kartennummer und CVV ein.", "sk_live_", "\xff\xc3", "mot de passe", "¿Me das tu clave?", false)
	f.Add("de passe", "passe de passe pass word a-t-il s'il", "tan TAN", "12 24 code", "a/b,c;d(e)", "één ∂ 漢字 ﬀ", true)
	f.Fuzz(func(t *testing.T, header, question, placeholder, context, message, label string, other bool) {
		p := tools.Part{Header: header, Question: question, Placeholder: placeholder, Context: context, InputType: tools.Text,
			Validation: &tools.Validation{Message: message}, AllowOther: other, Options: []tools.Option{{Label: label, Description: context}}}
		found, ok := find(p)
		again, _ := find(p)
		if found != again || ok != (found != secret.Finding{}) {
			t.Fatalf("%+v, then %+v, %v", found, again, ok)
		}
		if !ok {
			return
		}
		switch found.Kind {
		case secret.Password, secret.PIN, secret.Code, secret.Card, secret.Key, secret.Identity:
		default:
			t.Fatalf("kind %q", found.Kind)
		}
		switch found.Field {
		case "question", "header", "placeholder", "context", "validation.message":
		default:
			t.Fatalf("field %q", found.Field)
		}
		p.InputType, p.AllowOther = tools.Confirm, false
		if found, ok := find(p); ok {
			t.Fatalf("of a confirm: %+v", found)
		}
	})
}

// worst returns a form at all limits, with words that take the most work.
func worst() []tools.Part {
	fill := func(n int, words string) string {
		s := strings.Repeat(words, n/len(words)+1)
		for !utf8.ValidString(s[:n]) {
			n--
		}
		return s[:n]
	}
	p := tools.Part{InputType: tools.Select, AllowOther: true, Question: fill(500, "how the key of that code number "), Header: fill(30, "token "),
		Placeholder: fill(200, "the number of the card "), Context: fill(500, "about the password of "), Validation: &tools.Validation{Message: fill(200, "the code ")}}
	for range 20 {
		p.Options = append(p.Options, tools.Option{Label: fill(100, "une carte et "), Description: fill(300, "quelque chose de plus long ")})
	}
	return []tools.Part{p, p, p, p, p}
}

func BenchmarkFind(b *testing.B) {
	plain := worst()
	for i := range plain {
		plain[i].Question, plain[i].Context = strings.Repeat("which of these plans suits you ", 16), strings.Repeat("the report is for the board ", 17)
		plain[i].Placeholder, plain[i].Validation.Message = strings.Repeat("one of them ", 16), strings.Repeat("choose one ", 18)
	}
	for name, parts := range map[string][]tools.Part{
		"ordinary":      {{InputType: tools.Text, Question: "Which project shall the report be about?", Placeholder: "Alpha", Context: "The board wants one report a month."}},
		"harmless noun": {text("Which key should the list be sorted by?")},
		"secret":        {text("Please enter the verification code that we sent to your phone.")},
		"largest form":  plain,
		"worst form":    worst(),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range parts {
					find(p)
				}
			}
		})
	}
}

// Clients read the JSON of a finding's kind in Part.Secret.
func TestKindsAreWords(t *testing.T) {
	data, err := json.Marshal([]secret.Kind{secret.Password, secret.PIN, secret.Code, secret.Card, secret.Key, secret.Identity})
	if want := `["password","pin","code","card","key","identity"]`; err != nil || string(data) != want {
		t.Errorf("%s, %v, want %s", data, err, want)
	}
}

// A question of a letter, a number, or words without meaning does not ask for a secret. None of
// these was used to fit the weights.
func TestQuestionsThatSayNothing(t *testing.T) {
	r := secret.New(nil)
	var list []string
	for c := 'A'; c <= 'Z'; c++ {
		for _, f := range []string{"%c", "(%c)", "Part %c?", "Variant %c", "%c or %[1]c?"} {
			list = append(list, fmt.Sprintf(f, c))
		}
	}
	for n := 40; n < 80; n++ {
		for _, f := range []string{"%d", "Pick %d", "Enter value %d", "Guess %d", "Round %d?", "Line %d", "Frage %d", "Runde %d?", "Ligne %d", "¿Ronda %d?"} {
			list = append(list, fmt.Sprintf(f, n))
		}
	}
	for _, q := range list {
		for _, typ := range []tools.InputType{tools.Text, tools.Number} {
			if found := r.Find([]tools.Part{{Question: q, InputType: typ}}); len(found) > 0 {
				t.Errorf("%q counts as a question for a secret: %v", q, found)
			}
		}
	}
}

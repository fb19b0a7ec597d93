package askuser_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// A question for a secret is refused by default. The message has the field, the kind of secret,
// and what to do instead.
func TestQuestionsForSecretsAreRefused(t *testing.T) {
	for arguments, says := range map[string][]string{
		`{"question":"What is your password?"}`:                                                                                           {"`question`", "password"},
		`{"question":"How do I sign in?","placeholder":"Your password"}`:                                                                  {"`placeholder`", "password"},
		`{"questions":[{"question":"Which bank?"},{"question":"Wie lautet Ihre PIN?","type":"number"}]}`:                                  {"`questions[1].question`", "a PIN"},
		`{"question":"Quelle carte ?","validation":{"message":"Saisissez le numéro de carte bancaire."}}`:                                 {"`validation.message`", "payment card"},
		`{"question":"¿Y ahora?","context":"Escriba el código de verificación que le enviamos.","options":[` + `"a"],"allow_other":true}`: {"`context`", "code"},
	} {
		refused := refusal(t, newTool(), arguments)
		if refused.Reason != askuser.ReasonSecret {
			t.Errorf("%s: reason %s", arguments, refused.Reason)
		}
		for _, s := range append(says, "where it belongs", "clarifications.secrets") {
			if !strings.Contains(refused.Message, s) {
				t.Errorf("%s: the message lacks %q: %s", arguments, s, refused.Message)
			}
		}
	}
}

// With warn the part has the kind of secret, and is otherwise unchanged. With allow there is no
// check.
func TestPoliciesOnSecrets(t *testing.T) {
	const arguments = `{"questions":[{"question":"Which server?","input_type":"text"},{"question":"What is its root password?","input_type":"text","allow_skip":true}]}`
	for policy, want := range map[string]string{askuser.SecretsWarn: "password", askuser.SecretsAllow: ""} {
		outcome, err := askuser.New(askuser.Limits{Secrets: policy}, nil).Run(t.Context(), tools.Call{Arguments: arguments})
		if err != nil {
			t.Fatalf("%s: %v", policy, err)
		}
		parts := outcome.Question.Parts
		if parts[0].Secret != "" || parts[1].Secret != want {
			t.Errorf("%s: %+v", policy, parts)
		}
		if parts[1].Question != "What is its root password?" || !parts[1].AllowSkip || len(outcome.Repairs) > 0 {
			t.Errorf("%s: altered: %+v, %v", policy, parts[1], outcome.Repairs)
		}
	}
}

// The definition has the current rule.
func TestDefinitionSaysWhatBecomesOfSecrets(t *testing.T) {
	for policy, says := range map[string]string{"": "such questions are refused", askuser.SecretsRefuse: "such questions are refused",
		askuser.SecretsWarn: "only if you cannot go on without it", askuser.SecretsAllow: "only if you cannot go on without it"} {
		if description, _ := askuser.New(askuser.Limits{Secrets: policy}, nil).Definition(); !strings.Contains(description, says) {
			t.Errorf("%q: the description lacks %q: %s", policy, says, description)
		}
	}
}

// The model cannot set "secret" of a part.
func TestAModelCannotSetTheWarning(t *testing.T) {
	for _, policy := range []string{askuser.SecretsRefuse, askuser.SecretsWarn, askuser.SecretsAllow} {
		outcome, err := askuser.New(askuser.Limits{Secrets: policy}, nil).Run(t.Context(), tools.Call{Arguments: `{"question":"Which project?","secret":"card"}`})
		if err != nil || outcome.Question.Parts[0].Secret != "" {
			t.Errorf("%s: %+v, %v", policy, outcome.Question, err)
		}
	}
}

// An admin's own words count like a password, in any spelling. An ordinary question about them
// does not.
func TestTheAdminsOwnSecretWords(t *testing.T) {
	own := askuser.New(askuser.Limits{SecretWords: []string{"Badge Number", "Projektkürzel"}}, nil)
	for question, asks := range map[string]bool{
		"What is your badge number?": true, "Please enter your ＢＡＤＧＥ  number.": true, "Bitte nenne mir dein Projektkürzel": true, "Badge num\u00adber?": true,
		"How long is a badge number?": false, "Which badge do you like?": false,
	} {
		_, err := own.Run(t.Context(), tools.Call{Arguments: `{"question":"` + question + `"}`})
		if (err != nil) != asks {
			t.Errorf("%s: %v", question, err)
		}
		if _, err := newTool().Run(t.Context(), tools.Call{Arguments: `{"question":"` + question + `"}`}); err != nil {
			t.Errorf("%s, without words of its own: %v", question, err)
		}
	}
}

// The other parts of the form are the context of a part.
func TestPartsOfAFormExplainEachOther(t *testing.T) {
	for arguments, field := range map[string]string{
		`{"questions":[{"question":"Words 1 to 12 of your wallet?"},{"question":"Words 13 to 24?"}]}`:                    "`questions[1].question`",
		`{"questions":[{"question":"User name?"},{"question":"p a s s w o r d?"}]}`:                                      "`questions[1].question`",
		`{"questions":[{"question":"Which bank?"},{"question":"Please enter your drowssap"},{"question":"Which day?"}]}`: "`questions[1].question`",
	} {
		if refused := refusal(t, newTool(), arguments); refused.Reason != askuser.ReasonSecret || !strings.Contains(refused.Message, field) {
			t.Errorf("%s: %+v", arguments, refused)
		}
	}
}

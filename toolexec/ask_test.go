package toolexec_test

import (
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// The same arguments become a choice if a model wrote them, and are refused if a program did.
func TestAProgramsQuestionKeepsItsType(t *testing.T) {
	b := set(t, both, ok)
	c := call("ask_user", `{"question":"Q","input_type":"text","options":["A","B"]}`)
	if out := b.run(t, c)[0]; out.Question == nil || out.Question.Parts[0].InputType != tools.Select {
		t.Errorf("from a model: %+v", out)
	}
	if _, out := b.executor.Ask(t.Context(), b.catalog, b.app, c); out.Error == nil || out.Error.Reason != askuser.ReasonOptionsType {
		t.Errorf("from a program: %+v", out)
	}
}

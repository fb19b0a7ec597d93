package admin

import (
	"encoding/json"
	"testing"

	"github.com/askgate/askgate/config"
)

// Each tool of a server that is named is shown with its own approval; null means that nothing decides.
func TestApprovalsOfAServersToolsAreShown(t *testing.T) {
	raw, err := json.Marshal(newAdminApproval(&config.Approval{Tools: map[string]*config.Approval{
		"list": nil, "*": {Otherwise: config.Rule{Then: config.RuleDeny, Role: "finance", Quorum: 2}},
	}}, "en"))
	if want := `{"tools":{"*":{"otherwise":{"then":"deny"}},"list":null}}`; err != nil || string(raw) != want {
		t.Errorf("%s, want %s: %v", raw, want, err)
	}
}

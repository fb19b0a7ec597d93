package slack

import (
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools/strictjson"
)

// What the elements of our messages and modals are called in a payload.
const (
	actionOption = "askgate-option" // a button; its option's number follows
	actionSelect = "askgate-select"
	actionOther  = "askgate-other"
	actionLink   = "askgate-link"
	modalOther   = "askgate-other"
	blockOther   = "askgate-other_block"
	inputOther   = "askgate-other_text"
)

const (
	// maxBody limits a payload in bytes. Slack names no limit. A payload repeats its message, whose
	// blocks have up to maxBlocks bytes here, in a form with up to nine bytes for each of them.
	maxBody = 256 << 10
	// maxDepth limits nested arrays and objects in a payload; Slack's have about ten.
	maxDepth = 32
)

// press is what a person did in Slack.
type press struct {
	team, user string
	question   string
	option     int     // the index of the chosen option; -1: none
	modal      bool    // they want to write an answer
	text       *string // what they wrote; nil: nothing
	trigger    string  // to open a modal
	hook       string  // where a response goes; "": nowhere
	message    string  // the reference of the message; "": it is not known
}

// payload is the part of an interaction's payload that is used. Source:
// https://docs.slack.dev/reference/interaction-payloads/block_actions-payload and
// .../view-interactions-payload, November 2026.
type payload struct {
	Type string `json:"type"`
	Team struct {
		ID string `json:"id"`
	} `json:"team"`
	User struct {
		ID string `json:"id"`
	} `json:"user"`
	TriggerID   string `json:"trigger_id"`
	ResponseURL string `json:"response_url"`
	Container   struct {
		MessageTS string `json:"message_ts"`
		ChannelID string `json:"channel_id"`
	} `json:"container"`
	Actions []struct {
		ActionID string `json:"action_id"`
		Value    string `json:"value"`
		Selected struct {
			Value string `json:"value"`
		} `json:"selected_option"`
	} `json:"actions"`
	View struct {
		CallbackID      string `json:"callback_id"`
		PrivateMetadata string `json:"private_metadata"`
		State           struct {
			Values map[string]map[string]struct {
				Value *string `json:"value"`
			} `json:"values"`
		} `json:"state"`
	} `json:"view"`
}

var errPayload = errors.New("not a payload of Slack")

// parse reads the body of a request. It returns nil for interactions that need no more than to be
// acknowledged: a link that was opened, another app's modal.
func parse(body []byte) (*press, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil || len(form["payload"]) != 1 {
		return nil, errPayload
	}
	data := []byte(form.Get("payload"))
	if _, err := strictjson.Open(data, strictjson.Rules{MaxDepth: maxDepth, AllowNUL: true}); err != nil {
		return nil, errPayload
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, errPayload
	}
	got := &press{team: p.Team.ID, user: p.User.ID, option: -1, trigger: p.TriggerID, hook: p.ResponseURL}
	switch {
	case p.Type == "block_actions" && len(p.Actions) == 1:
		if p.Container.ChannelID != "" && p.Container.MessageTS != "" {
			got.message = p.Container.ChannelID + ":" + p.Container.MessageTS
		}
		a := &p.Actions[0]
		switch {
		case a.ActionID == actionOther:
			got.modal, got.question = true, a.Value
			return got, nil
		case a.ActionID == actionSelect:
			return got.chosen(a.Selected.Value)
		case strings.HasPrefix(a.ActionID, actionOption):
			return got.chosen(a.Value)
		}
	case p.Type == "view_submission" && p.View.CallbackID == modalOther:
		got.question = p.View.PrivateMetadata
		got.text = p.View.State.Values[blockOther][inputOther].Value
		if got.text == nil {
			got.text = new("")
		}
		return got, nil
	}
	return nil, nil //nolint:nilnil // there is nothing to do
}

// valueOf is what a button or option carries; chosen reads it.
func valueOf(question string, option int) string { return question + "." + strconv.Itoa(option) }

func (p *press) chosen(value string) (*press, error) {
	question, number, ok := strings.Cut(value, ".")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 || valueOf(question, n) != value {
		return nil, errPayload
	}
	p.question, p.option = question, n
	return p, nil
}

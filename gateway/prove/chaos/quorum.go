package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
)

// The people of the crash and replies commands come through a proxy that names them.
const (
	userHeader  = "X-Remote-User"
	rolesHeader = "X-Remote-Groups"
	userOwner   = "owner" // of all chats
	roleFinance = "finance"
)

// sceneQuorum is the scene of quorum. It needs byProxy.
const sceneQuorum = "quorum"

var byProxy = object{"mode": "proxy", "proxy": object{
	"from": []string{"127.0.0.1"}, "headers": object{"subject": userHeader, "roles": rolesHeader},
}}

// decision is one person's, of several that a question waits for.
type decision struct {
	By    string `json:"by"`
	Value bool   `json:"value"`
}

// decided is a question as it is read after a decision.
type decided struct {
	State     string     `json:"state"`
	Decisions []decision `json:"decisions"`
	By        struct {
		Subject string `json:"subject"`
	} `json:"answeredBy"`
	code string // why the decision was refused; "" if it was taken
}

// decide records how many have decided.
func (p *picture) decide(id string, n int) {
	if p.decided == nil {
		p.decided = map[string]int{}
	}
	p.decided[id] = n
}

// quorum has two of three people decide about a call, one after the other, in any order. The call is made
// after the second yes, and not after a no. A decision that was taken is never lost, and counts once
// however often it is sent.
func quorum(t *talk, luck *rand.Rand) error {
	if err := t.begins("pay", "awaiting_input", 1); err != nil {
		return err
	}
	shot, err := t.looked()
	if err != nil {
		return err
	}
	id, call := shot.Pending[0].ClarificationID, t.call(1, 0, 0)
	people := []string{"carol", "dave", "erin"}
	luck.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
	first, last := people[0], people[1]
	want := []decision{{first, true}, {last, luck.IntN(3) > 0}}
	for _, code := range []string{"", "already_decided"} { // the first attempt may have to be repeated after it was taken
		d, err := t.decides(first, id, true)
		if err == nil && (code != "" && d.code != code || d.code != "" && d.code != "already_decided" || d.code == "" && (d.State != "pending" || !slices.Equal(d.Decisions, want[:1]))) {
			err = fmt.Errorf("%s has %+v", first, d)
		}
		if err != nil {
			return err
		}
	}
	if err := t.settle("awaiting_input", 1); err != nil {
		return err
	}
	if shot, err = t.looked(); err != nil {
		return err
	}
	if got := shot.Pending[0].Decisions; !slices.Equal(got, want[:1]) {
		return fmt.Errorf("the question has the decisions %v, want %v", got, want[:1])
	}
	if n := t.world.called(call); n > 0 {
		return fmt.Errorf("the call was made after one of two had allowed it")
	}
	if !want[1].Value && luck.IntN(3) == 0 { // someone takes back a yes
		last, want[1].By = first, first
	}
	d, err := t.decides(last, id, want[1].Value)
	if err != nil {
		return err
	}
	if d.code != "" && d.code != "already_answered" {
		return fmt.Errorf("%s got %+v", last, d)
	}
	if err := t.settle("idle", 0); err != nil {
		return err
	}
	if d, err = t.kept(id); err != nil {
		return err
	}
	if d.State != "answered" || d.By.Subject != last || !slices.Equal(d.Decisions, want) {
		return fmt.Errorf("the question ended as %+v, want the decisions %v", d, want)
	}
	return nil
}

// decides has a person decide, and repeats that until a node takes or refuses it.
func (t *talk) decides(who, id string, value bool) (d decided, err error) {
	body, err := json.Marshal(object{"value": value})
	if err != nil {
		return d, err
	}
	return t.asHolder("a decision is taken", http.MethodPost, who, "/v1/clarifications/"+id+"/answer", string(body))
}

// kept reads a question.
func (t *talk) kept(id string) (decided, error) {
	return t.asHolder("a question is read", http.MethodGet, "carol", "/v1/clarifications/"+id, "")
}

func (t *talk) asHolder(what, method, who, path, body string) (d decided, err error) {
	err = wait(t.ctx, what, func(ctx context.Context) (bool, error) {
		url := t.world.front()
		if url == "" {
			return false, errDown
		}
		if body != "" {
			t.world.tick(atPost)
		}
		resp, err := request(ctx, method, url+path, body, userHeader, who, rolesHeader, roleFinance)
		var r *refusal
		if errors.As(err, &r) && r.Status == http.StatusConflict {
			d = decided{code: r.Code}
			return true, nil
		} else if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&d); err != nil {
			return false, errDown // it broke off
		}
		return true, nil
	})
	return d, err
}

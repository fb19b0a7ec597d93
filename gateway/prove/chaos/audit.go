package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// recorded returns what the gateway's audit contains about the chat: what happened to each
// question, in no order, since answers may arrive at the same time.
func (t *talk) recorded(ctx context.Context, began time.Time) ([]string, error) {
	node := t.world.viewed()
	if node == "" {
		return nil, errDown
	}
	query := url.Values{"app": {t.app}, "since": {began.Format(time.RFC3339Nano)}}
	resp, err := request(ctx, "GET", node+"/v1/admin/audit?"+query.Encode(), "")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var list []string
	for lines := json.NewDecoder(resp.Body); ; {
		var r struct{ ChatID, What, ToolCallID, Outcome string }
		switch err := lines.Decode(&r); {
		case errors.Is(err, io.EOF):
			slices.Sort(list)
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("%w: %w", errDown, err)
		case r.ChatID == t.chat:
			list = append(list, r.What+" "+r.ToolCallID+" "+r.Outcome)
		}
	}
}

// audit checks everything that the model was sent: nothing that a strict provider would refuse, and
// no call whose result changed from one request to the next. The answer that the scene changed
// changes once: no run goes on with the old one after that. One that was deleted stays so.
func (w *world) audit() error {
	results := map[string]string{} // by call, whose id names the chat
	for n, r := range w.model.Requests() {
		if len(r.Violations) > 0 {
			return fmt.Errorf("model request %d: %s", n, strings.Join(r.Violations, "; "))
		}
		for _, m := range r.Body.Messages {
			if m.Role != "tool" {
				continue
			}
			if before, ok := results[m.ToolCallID]; ok && before != m.Text() && m.Text() != deletedText && !(strings.Contains(before, "(pdf)") && strings.Contains(m.Text(), "(docx)") && strings.HasPrefix(recall(r.Body).text, "linger ")) {
				return fmt.Errorf("model request %d: the result of %s is %q, and was %q", n, m.ToolCallID, m.Text(), before)
			}
			results[m.ToolCallID] = m.Text()
		}
	}
	return nil
}

// ran requires that each call of a finished chat has a result, and that it ran once if it must not
// run twice; or at most once, if the result reports that it was interrupted.
//
// It counts the calls that a person allowed, and those among them that were interrupted.
func (w *world) ran(p picture) (allowed, interrupted int, err error) {
	log, err := os.ReadFile(w.tools)
	if err != nil {
		return 0, 0, err
	}
	times := map[string]int{}
	for line := range strings.Lines(string(log)) {
		times[strings.TrimSpace(line)]++
	}
	for _, m := range p.Messages {
		for _, c := range m.Calls {
			n, once := times[c.ID], strings.Contains(c.Arguments, "*") // what the calculator of a crash build journals
			if c.Name == toolPost || c.Name == toolRead || c.Name == toolKeep || c.Name == toolPay {
				n, once = w.counted(c), true
				if !c.refused() {
					allowed++
				}
				if c.interrupted() {
					interrupted++
				}
			}
			switch {
			case !c.Done:
				return 0, 0, fmt.Errorf("the call %s has no result", c.ID)
			case c.Name == "ask_user", n == 0 && c.refused():
			case c.refused(), once && (n > 1 || n == 0 && !c.interrupted()), n == 0 && !once:
				return 0, 0, fmt.Errorf("the call %s %s ran %d times; its result is %s", c.ID, c.Arguments, n, c.Result)
			}
		}
	}
	return allowed, interrupted, nil
}

// editedKey is the suffix that a person adds to the name of a call that is counted.
const editedKey = "-changed"

// counted returns how often the server of a call was called with the arguments that a person
// allowed; calls with other arguments are counted so that they make it a fault.
func (w *world) counted(c call) int {
	var arguments struct{ Key string }
	if err := json.Unmarshal([]byte(c.Arguments), &arguments); err != nil {
		return -1
	}
	other, edited := strings.CutSuffix(arguments.Key, editedKey)
	if !edited {
		other += editedKey
	}
	return w.called(arguments.Key) + 2*w.called(other)
}

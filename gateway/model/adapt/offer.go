package adapt

import (
	"fmt"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

// askUser is the tool without which no request is sent: if the model cannot ask, the request fails.
const askUser = "ask_user"

// Offer returns the tools of a request in the form that the server accepts: with portable parameters,
// without the tools that the server has refused, and without those that have no portable form, each of
// which is reported to operators once. called returns a tool's name on the wire; if it is nil, the
// name stays. sent gets the names. Offer returns an error if ask_user has no portable form.
func (l *Learned) Offer(list []tools.Definition, dialect toolschema.Dialect, called func(string) string, set *Set, sent *Sent) ([]tools.Definition, error) {
	if len(list) == 0 {
		return nil, nil
	}
	offered := make([]tools.Definition, 0, len(list))
	for _, d := range list {
		name := d.Name
		if called != nil {
			name = called(name)
		}
		if d.Name == askUser {
			sent.Keep = name
		} else if set.LeavesOut(name) {
			continue
		}
		parameters, err := toolschema.Portable(d, dialect)
		switch {
		case err != nil && d.Name == askUser:
			return nil, &model.Error{
				Kind: model.KindError, Fault: model.FaultTools, Err: err,
				Detail: "the parameters of " + askUser + " have no form that model servers accept; correct them in tools.json",
			}
		case err != nil:
			l.leaveOut(d.Name, err)
			continue
		}
		offered = append(offered, tools.Definition{Name: name, Description: d.Description, Parameters: parameters})
		sent.Tools = append(sent.Tools, name)
	}
	return offered, nil
}

// leaveOut reports to operators, once, that a tool is not offered.
func (l *Learned) leaveOut(name string, why error) {
	l.mu.Lock()
	told := l.told[name]
	if !told {
		if l.told == nil {
			l.told = map[string]bool{}
		}
		l.told[name] = true
	}
	l.mu.Unlock()
	if !told {
		l.notes.Learnt(upstream.Adaptation{What: tool, Tool: name, Detail: fmt.Sprintf("the tool %s is left out: %v", name, why), At: time.Now()})
	}
}

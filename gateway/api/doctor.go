package api

import (
	"context"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/doctor"
)

// maxExaminations is how many examinations there may be at once: they need no key, and
// each holds a connection.
const maxExaminations = 8

const scopeDoctor = "doctor"

// examine streams what askgate doctor listens to. It is open to strangers: it discloses
// nothing, and uses neither engine nor store.
func examine(r *request) error {
	if r.host.isDraining() {
		return &fault{code: chat.CodeDraining}
	}
	quiet := doctor.Promise
	if s, ok := r.query("quiet"); ok {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > int(doctor.MaxQuiet/time.Second) {
			return invalid("query", "quiet")
		}
		quiet = time.Duration(n) * time.Second
	}
	release, d := r.host.Limiter.Acquire(r.ctx(), scopeDoctor, "", maxExaminations)
	defer release()
	if !d.Allowed {
		return &fault{code: chat.CodeRateLimited, limited: &d}
	}
	body, err := readBody(r.response(), r.http(), maxBody)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.ctx())
	defer cancel()
	defer context.AfterFunc(r.host.draining, cancel)()
	doctor.Serve(ctx, r.response(), r.http(), len(body), quiet)
	return nil
}

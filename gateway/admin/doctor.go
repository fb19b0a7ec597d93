package admin

import (
	"context"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/doctor"
	"github.com/askgate/askgate/gateway/host"
)

// maxExaminations is how many examinations may run at once: they need no key, and each holds a
// connection.
const maxExaminations = 8

const scopeDoctor = "doctor"

// Examine streams what askgate doctor listens to. It is open to anyone: it discloses nothing, and
// uses neither engine nor store.
func Examine(r *host.Request) error {
	if r.Host.IsDraining() {
		return &host.Fault{Code: chat.CodeDraining}
	}
	quiet := doctor.Promise
	if s, ok := r.Query("quiet"); ok {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > int(doctor.MaxQuiet/time.Second) {
			return host.Invalid("query", "quiet")
		}
		quiet = time.Duration(n) * time.Second
	}
	release, d := r.Host.Limiter.Acquire(r.Context(), scopeDoctor, "", maxExaminations)
	defer release()
	if !d.Allowed {
		return &host.Fault{Code: chat.CodeRateLimited, Limited: &d}
	}
	body, err := host.ReadBody(r.Response(), r.HTTP(), host.MaxBody)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(r.Host.Draining, cancel)()
	doctor.Serve(ctx, r.Response(), r.HTTP(), len(body), quiet)
	return nil
}

package host

import (
	"context"
	"math"
	"slices"
	"time"
)

// recheck is how often an open view checks whether the configuration has changed.
const recheck = 2 * time.Second

// whileKnown ends a view when its caller is no longer known, may no longer use the app or, for a
// view of all apps, has other roles: the holder of a removed or changed key must not go on
// reading. The function it returns ends the checking.
func whileKnown(ctx context.Context, r *Request, end context.CancelFunc) (stop func()) {
	seen, who, app, request := r.Setup(), r.Caller, appID(r), r.HTTP()
	var timer *time.Timer
	timer = time.AfterFunc(math.MaxInt64, func() { // set before this can run
		if ctx.Err() != nil {
			return
		}
		if now := r.Host.Setup(); now != seen {
			again, err := r.Host.auth.authenticate(request, &now.Config.Gateway)
			known := err == nil && again.Tenant == who.Tenant && again.Subject == who.Subject
			if conf, ok := now.Config.App(app); app != "" {
				known = known && ok && again.MayUse(conf)
			} else {
				known = known && slices.Equal(again.Roles, who.Roles)
			}
			if !known {
				end()
				return
			}
			seen = now
		}
		timer.Reset(recheck)
	})
	timer.Reset(recheck)
	return func() { timer.Stop() }
}

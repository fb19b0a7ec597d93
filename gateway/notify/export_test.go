package notify

import (
	"net/http"
	"time"
)

// Look sets how often the store is asked what is due.
func (n *Notifier) Look(every time.Duration) { n.every = every }

// Through makes everything be sent this way, in place of the network.
func (n *Notifier) Through(way http.RoundTripper) { n.way = way }

// Sign is sign.
var Sign = sign

package notify

import (
	"net/http"
	"time"
)

// Look has the store asked so often what is due.
func (n *Notifier) Look(every time.Duration) { n.every = every }

// Through has everything sent by this way, in place of the network.
func (n *Notifier) Through(way http.RoundTripper) { n.way = way }

// Sign is sign.
var Sign = sign

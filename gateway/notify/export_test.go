package notify

import (
	"net/http"
	"time"
)

// Look sets how often the store is asked for due deliveries.
func (n *Notifier) Look(every time.Duration) { n.loop.Every = every }

// Through sends everything this way, in place of the network.
func (n *Notifier) Through(way http.RoundTripper) { n.way = way }

// Sign is sign.
var Sign = sign

package notify

import "net/http"

// Through has everything sent by this way, in place of the network.
func (n *Notifier) Through(way http.RoundTripper) { n.way = way }

// Sign is sign.
var Sign = sign

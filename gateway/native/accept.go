package native

import (
	"mime"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/host"
)

// wantsJSON reads Accept (RFC 9110, section 12.5.1): false means a stream, also without Accept
// and for */*. Of two types with equal weight, one that is named wins over one that a wildcard
// covers (browser libraries send "application/json, text/plain, */*"), and otherwise the stream
// wins. It returns an error if neither is accepted.
func wantsJSON(accept []string) (bool, error) {
	header := strings.Join(accept, ",")
	if strings.TrimSpace(header) == "" {
		return false, nil
	}
	var stream, json preference
	for part := range strings.SplitSeq(header, ",") {
		mediaType, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if s, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(s, 64); err != nil || !(q >= 0 && q <= 1) { // refuses NaN, too
				continue
			}
		}
		stream.consider(host.TypeStream, mediaType, q)
		json.consider(host.TypeJSON, mediaType, q)
	}
	switch {
	case stream.q == 0 && json.q == 0:
		return false, &host.Fault{Code: host.CodeNotAcceptable}
	case json.q != stream.q:
		return json.q > stream.q, nil
	default:
		return json.rank > stream.rank, nil
	}
}

// preference is the weight of a media type, from the most specific range that covers it.
type preference struct {
	rank int // 0: not covered, 1: */*, 2: type/*, 3: the type itself
	q    float64
}

func (p *preference) consider(mediaType, accepted string, q float64) {
	kind, _, _ := strings.Cut(mediaType, "/")
	rank := 0
	switch accepted {
	case mediaType:
		rank = 3
	case kind + "/*":
		rank = 2
	case "*/*":
		rank = 1
	}
	if rank > p.rank {
		p.rank, p.q = rank, q
	}
}

package host

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"

	"github.com/askgate/askgate/config"
)

// refusedTo returns who was refused: the address, and the key, even if the request did not get
// far enough to be authenticated. Addresses are personal data, so they are logged for these
// requests alone.
func (w *Response) refusedTo(r *http.Request) []slog.Attr {
	conf := &w.setup.Config.Gateway
	var list []slog.Attr
	if addr, ok := address(r, conf); ok {
		list = append(list, slog.String("remote", addr.String()))
	}
	if w.About.keyID == "" {
		if id := presentedKey(r, conf); id != "" {
			list = append(list, slog.String("keyId", id))
		}
	}
	return list
}

// presentedKey returns the id of the key that a request came with or, for an unknown key, the
// beginning of its hash. That does not reveal the key, but shows whether it was in auth.keys.
func presentedKey(r *http.Request, conf *config.Gateway) string {
	presented := bearer(r, maxKey)
	if conf.Auth.Mode != config.AuthAPIKeys || presented == "" {
		return ""
	}
	if key, ok := findKey(conf.Auth.Keys, presented); ok {
		return key.ID
	}
	const shown = 4 // bytes
	sum := sha256.Sum256([]byte(presented))
	return "unknown:" + hex.EncodeToString(sum[:shown])
}

// isRefusal reports whether a request's log line names who was refused.
func isRefusal(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
}

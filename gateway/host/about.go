package host

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"

	"github.com/askgate/askgate/config"
)

// refusedTo says who it was that was refused: where from, and by which key, though the
// request may not have come far enough for that. Addresses are of people: they are logged
// of these alone.
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

// presentedKey is the id of the key that a request came with, or how the hash of an
// unknown one begins: what it is cannot be told from that, but whether it was in auth.keys.
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

// isRefusal says whether a request's line names who was refused.
func isRefusal(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
}

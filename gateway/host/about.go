package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"

	"github.com/askgate/askgate/config"
)

// about is what the log's lines of a request say beside its id, as far as it is known:
// whose key it came with, and which chat and turn it is about. Of a request that is well
// and begins no run, the chat is not logged.
type about struct{ keyID, App, ChatID, turnID string }

func (w *response) attrs() []slog.Attr {
	list := []slog.Attr{slog.String("requestId", w.requestID)}
	for _, a := range []slog.Attr{
		slog.String("turnId", w.About.turnID), slog.String("chatId", w.About.ChatID), slog.String("app", w.About.App), slog.String("keyId", w.About.keyID),
	} {
		if a.Value.String() != "" {
			list = append(list, a)
		}
	}
	return list
}

// Logger is the log of a request.
func (r *Request) Logger() *slog.Logger {
	return slog.New(r.Host.Log.Handler().WithAttrs(r.Response().attrs()))
}

// refusedTo says who it was that was refused: where from, and by which key, though the
// request may not have come far enough for that. Addresses are of people: they are logged
// of these alone.
func (w *response) refusedTo(r *http.Request) []slog.Attr {
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

// ran notes the turn that a run turned out to belong to, or the one that was known before.
func (a *about) ran(turn string) { a.turnID = cmp.Or(turn, a.turnID) }

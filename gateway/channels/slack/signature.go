package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxAge is how much older or newer than now a request may say that it is. Source:
// https://docs.slack.dev/authentication/verifying-requests-from-slack, November 2026.
const maxAge = 5 * time.Minute

// genuine reports whether Slack signed a request for the app with the secret, and when: at now, give or
// take maxAge.
func genuine(secret string, h http.Header, body []byte, now time.Time) bool {
	const version = "v0"
	at := h.Values("X-Slack-Request-Timestamp")
	signatures := h.Values("X-Slack-Signature")
	if secret == "" || len(at) != 1 || len(signatures) != 1 {
		return false
	}
	seconds, err := strconv.ParseInt(at[0], 10, 64)
	if err != nil || seconds < 0 || strconv.FormatInt(seconds, 10) != at[0] {
		return false
	}
	sent, versioned := strings.CutPrefix(signatures[0], version+"=")
	given, err := hex.DecodeString(sent)
	if !versioned || err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(version + ":" + at[0] + ":"))
	mac.Write(body)
	if !hmac.Equal(given, mac.Sum(nil)) {
		return false
	}
	const most = int64(maxAge / time.Second)
	age := now.Unix() - seconds
	return -most <= age && age <= most
}

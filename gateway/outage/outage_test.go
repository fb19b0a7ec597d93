package outage_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/outage"
)

func logTo(b *bytes.Buffer, level slog.Level) slog.Handler {
	return slog.NewTextHandler(b, &slog.HandlerOptions{Level: level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return outage.Milliseconds(groups, a)
	}})
}

func lines(b *bytes.Buffer) []string { return strings.Split(strings.TrimSpace(b.String()), "\n") }

func TestAnOutageHasABeginAndAnEndAndALineEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		l := outage.New(slog.New(logTo(&b, slog.LevelInfo)), "x is down", "x works again", "server", "s")
		if l.Works() || b.Len() > 0 {
			t.Errorf("before an outage: %s", &b)
		}
		for range 250 { // 25 s
			l.Failed(errors.New("why"))
			time.Sleep(100 * time.Millisecond)
		}
		if !l.Works() || l.Works() {
			t.Error("an outage ends once")
		}
		want := []string{
			`level=WARN msg="x is down" server=s error=why`,
			`level=WARN msg="x is down" server=s error=why failures=100 duration_ms=10000`,
			`level=WARN msg="x is down" server=s error=why failures=100 duration_ms=20000`,
			`level=INFO msg="x works again" server=s duration_ms=25000 failures=250`,
		}
		if got := lines(&b); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// Of many clients of one server, some fail and some do not: that is not a line each.
func TestWhatFailsEveryOtherTimeDoesNotFloodTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		l := outage.New(slog.New(logTo(&b, slog.LevelInfo)), "x is down", "x works again")
		for range 600 { // a minute
			l.Failed(errors.New("why"))
			time.Sleep(50 * time.Millisecond)
			l.Works()
			time.Sleep(50 * time.Millisecond)
		}
		if got := lines(&b); len(got) > 12 {
			t.Errorf("%d lines in a minute:\n%s", len(got), &b)
		}
	})
}

var errDown = errors.New("down")

func TestTheHandlerDropsWhatALogReports(t *testing.T) {
	for level, want := range map[slog.Level]int{slog.LevelInfo: 3, slog.LevelDebug: 5} {
		var b bytes.Buffer
		log := slog.New(outage.Handler(logTo(&b, level), func(err error) bool { return errors.Is(err, errDown) }))
		outage.New(log, "x is down", "x works again").Failed(errDown)
		log.Warn("cannot list", "error", fmt.Errorf("%w: here", errDown))
		log.With("app", "a").WithGroup("g").Error("cannot read", "error", errDown)
		log.Error("cannot read", "error", errors.New("other"))
		log.Info("listed", "error", errDown)
		if got := lines(&b); len(got) != want {
			t.Errorf("at %v: %d lines, want %d:\n%s", level, len(got), want, &b)
		}
	}
}

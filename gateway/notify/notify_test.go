package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/store"
)

// The vector that the specification's libraries test with.
func TestSignature(t *testing.T) {
	hook := config.Webhook{Secret: "whsec_plJ3nmyCDGBKInavdOK15jsl"}
	h := http.Header{}
	notify.Sign(h, hook.Key(), "msg_loFOjxBNrRLzqYUf", time.Unix(1731705121, 0), []byte(`{"event_type":"ping","data":{"success":true}}`))
	if h.Get("webhook-id") != "msg_loFOjxBNrRLzqYUf" || h.Get("webhook-timestamp") != "1731705121" ||
		h.Get("webhook-signature") != "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=" {
		t.Errorf("%v", h)
	}
}

// verify does what a receiver does according to the specification, without the gateway's code.
func verify(t *testing.T, g got) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signing, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", g.header.Get("webhook-id"), g.header.Get("webhook-timestamp"), g.body)
	for _, signature := range strings.Fields(g.header.Get("webhook-signature")) {
		version, text, _ := strings.Cut(signature, ",")
		sent, err := base64.StdEncoding.DecodeString(text)
		if version == "v1" && err == nil && hmac.Equal(sent, mac.Sum(nil)) {
			return
		}
	}
	t.Errorf("not signed: %v", g.header)
}

// A receiver that fails in every way is retried after 5 s, then twice as long each time up to an
// hour, for a day; then it is given up, and the next delivery is sent.
func TestFailuresAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		r := &receiver{script: func(n int, req *http.Request) (*http.Response, error) {
			switch n % 4 {
			case 1:
				return status(http.StatusInternalServerError), nil
			case 2: // hangs
				<-req.Context().Done()
				return nil, req.Context().Err()
			case 3:
				moved := status(http.StatusFound)
				moved.Header.Set("Location", "https://hook.example.org/elsewhere")
				return moved, nil
			}
			return nil, errors.New("connection reset by token-1")
		}}
		const look = 4 * time.Second
		n := start(t, db, db, r, standard(""), look)
		begin := time.Now()
		ask(t, db, "c", "clr_1")
		time.Sleep(26 * time.Hour)
		all := r.received()
		pause := 5 * time.Second
		for i, g := range all {
			if g.url != "https://hook.example.org/token-1" {
				t.Fatalf("followed to %s", g.url)
			}
			if g.header.Get("webhook-id") != all[0].header.Get("webhook-id") || g.body != all[0].body {
				t.Errorf("attempt %d: %+v", i, g)
			}
			if i == 0 {
				continue
			}
			took := time.Duration(0)
			if i%4 == 2 { // the previous one hung
				took = 10 * time.Second
			}
			waited := g.at.Sub(all[i-1].at) - took
			if waited < pause*9/10 || waited > pause*11/10+look {
				t.Errorf("attempt %d came after %s, want about %s", i+1, waited, pause)
			}
			pause = min(2*pause, time.Hour)
		}
		if last := all[len(all)-1].at.Sub(begin); last > 24*time.Hour || last < 22*time.Hour || len(all) < 30 {
			t.Errorf("%d attempts, the last after %s", len(all), last)
		}
		if want := fmt.Sprintf("0 delivered %d failed 1 given_up", len(all)); n.outcomes() != want {
			t.Errorf("%s, want %s", n.outcomes(), want)
		}
		n.stop()
		if log := n.log.String(); strings.Contains(log, "token-1") || strings.Contains(log, "words of the receiver") || !strings.Contains(log, "giving up") || !strings.Contains(log, "status 500") {
			t.Errorf("log %s", log)
		}
	})
}

// Within a chat, deliveries wait for the first one; other chats do not wait for it.
func TestOrderOfAChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		r := new(receiver)
		r.script = func(n int, _ *http.Request) (*http.Response, error) {
			if body := r.received()[n-1].body; strings.Contains(body, "clr_first") && n <= 3 {
				return status(http.StatusServiceUnavailable), nil
			}
			return status(http.StatusOK), nil
		}
		n := start(t, db, db, r, standard(""))
		ask(t, db, "c", "clr_first")
		ask(t, db, "c", "clr_second")
		time.Sleep(2 * time.Second)
		if age := n.counted("askgate_webhook_oldest_waiting_seconds", map[string]string{"webhook": "a"}); age < 1 || age > 3 {
			t.Errorf("the oldest waits for %v s", age)
		}
		ask(t, db, "d", "clr_other")
		time.Sleep(time.Minute)
		var order []string
		for _, g := range r.received() {
			for _, name := range []string{"first", "second", "other"} {
				if strings.Contains(g.body, "clr_"+name+`"`) {
					order = append(order, name)
				}
			}
		}
		if want := []string{"first", "other", "first", "first", "second"}; !slices.Equal(order, want) {
			t.Errorf("%v, want %v", order, want)
		}
		if age := n.counted("askgate_webhook_oldest_waiting_seconds", map[string]string{"webhook": "a"}); age != 0 {
			t.Errorf("nothing waits, for %v s", age)
		}
	})
}

// dies is a node's store until it dies: from then on it stores no ends.
type dies struct{ store.Store }

func (d dies) Outbox() store.Outbox { return dead{d.Store.Outbox()} }

type dead struct{ store.Outbox }

func (dead) EndDelivery(context.Context, store.Delivery) error { return errors.New("dead") }

func (dead) PostponeDelivery(context.Context, store.Delivery, time.Duration) error {
	return errors.New("dead")
}

// If a node dies after the receiver accepted a delivery, and before it recorded that, another node
// delivers it again under the same id, once the claim has expired.
func TestAnotherNodeTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, r := open(t), new(receiver)
		first := start(t, db, dies{db}, r, standard(""))
		ask(t, db, "c", "clr_1")
		time.Sleep(time.Second)
		first.stop()
		start(t, db, db, r, standard(""))
		time.Sleep(28 * time.Second)
		if n := len(r.received()); n != 1 {
			t.Errorf("%d requests while the claim is valid", n)
		}
		time.Sleep(time.Minute)
		all := r.received()
		if len(all) != 2 || all[0].header.Get("webhook-id") != all[1].header.Get("webhook-id") || all[0].body != all[1].body {
			t.Errorf("%+v", all)
		}
	})
}

// A node that shuts down gives up what it is sending.
func TestWhatIsSentAtTheEndGoesOnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		r := &receiver{script: func(n int, req *http.Request) (*http.Response, error) {
			if n == 1 {
				<-req.Context().Done()
				return nil, req.Context().Err()
			}
			return status(http.StatusOK), nil
		}}
		first := start(t, db, db, r, standard(""))
		ask(t, db, "c", "clr_1")
		time.Sleep(time.Second)
		first.stop()
		start(t, db, db, r, standard(""))
		time.Sleep(time.Second)
		if n := len(r.received()); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestTwoNodesDeliverEachOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, r := open(t), new(receiver)
		var slow sync.Mutex
		r.script = func(int, *http.Request) (*http.Response, error) {
			slow.Lock() // one after another, so that both have something to do
			defer slow.Unlock()
			return status(http.StatusOK), nil
		}
		nodes := []*node{start(t, db, db, r, standard("")), start(t, db, db, r, standard(""))}
		const chats, each = 10, 4
		for i := range chats {
			for k := range each {
				ask(t, db, fmt.Sprint("c", i), fmt.Sprintf("clr_%d_%d", i, k))
			}
		}
		time.Sleep(time.Minute)
		next := map[string]int{}
		for _, g := range r.received() {
			var sent struct {
				Data struct{ ChatID, ClarificationID string }
			}
			if err := json.Unmarshal([]byte(g.body), &sent); err != nil {
				t.Fatal(err)
			}
			name := sent.Data.ChatID
			if want := fmt.Sprintf("clr_%s_%d", strings.TrimPrefix(name, "c"), next[name]); sent.Data.ClarificationID != want {
				t.Errorf("%s arrived, want %s", sent.Data.ClarificationID, want)
			}
			next[name]++
		}
		total := 0.0
		for _, n := range nodes {
			total += n.counted("askgate_webhook_deliveries_total", map[string]string{"webhook": "a", "outcome": "delivered"})
		}
		if len(r.received()) != chats*each || total != chats*each {
			t.Errorf("%d requests, %v delivered", len(r.received()), total)
		}
	})
}

// A webhook that hangs does not hold up others.
func TestAHangingWebhookIsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		r := &receiver{script: func(_ int, req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/token-1") {
				<-req.Context().Done()
				return nil, req.Context().Err()
			}
			return status(http.StatusOK), nil
		}}
		start(t, db, db, r, standard("")+`, {"id": "b", "url": "https://hook.example.org/other", "format": "ntfy"}`)
		for i := range 40 {
			tell(t, db, fmt.Sprint("c", i), chat.News{Type: chat.EventDone, TurnID: "turn_1", FinishReason: chat.FinishStop,
				Hooks: []chat.Hook{{Webhook: "a", Event: config.WebhookTurnEnded}, {Webhook: "b", Event: config.WebhookTurnEnded}}}, nil)
		}
		time.Sleep(9 * time.Second)
		others := 0
		for _, g := range r.received() {
			if strings.HasSuffix(g.url, "/other") {
				others++
			}
		}
		if others != 40 {
			t.Errorf("%d of 40 arrived while another one hangs", others)
		}
	})
}

// Deliveries that wait for a webhook that is removed are dropped; a new secret or format also
// applies to waiting deliveries.
func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		r := &receiver{script: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 1 {
				return status(http.StatusServiceUnavailable), nil
			}
			return status(http.StatusOK), nil
		}}
		n := start(t, db, db, r, standard(""))
		ask(t, db, "c", "clr_1")
		time.Sleep(time.Second)
		n.reload(standard(`, "format": "ntfy"`))
		time.Sleep(10 * time.Second)
		if all := r.received(); len(all) != 2 || !strings.HasPrefix(all[1].body, "webhook.asked of Helper") {
			t.Errorf("%+v", all)
		}
		r.fromNowOn(func(int, *http.Request) (*http.Response, error) { return status(http.StatusServiceUnavailable), nil })
		ask(t, db, "c", "clr_2")
		time.Sleep(time.Second)
		n.reload("")
		time.Sleep(time.Second)
		if left, err := db.Outbox().Webhooks(t.Context()); err != nil || len(left) != 0 {
			t.Errorf("%v waits, %v", left, err)
		}
		n.reload(standard(""))
		before := len(r.received())
		time.Sleep(5 * time.Minute)
		if all := r.received(); len(all) != before {
			t.Errorf("told of %+v", all[before:])
		}
	})
}

// A question that was not seen is sent and counted once, however many nodes there are. If it was
// seen in time, nothing is sent.
func TestUndelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, r := open(t), new(receiver)
		hooks := standard(`, "undeliveredAfter": "2m"`)
		nodes := []*node{start(t, db, db, r, hooks), start(t, db, db, r, hooks)}
		for _, id := range []string{"clr_unseen", "clr_seen"} {
			c := chat.Clarification{ID: id, TurnID: "turn_" + id, ToolCallID: "call", ToolName: "ask_user", Arguments: "{}", State: "pending", AskedAt: time.Now()}
			tell(t, db, id, chat.News{Type: chat.EventClarification, ClarificationID: id, Hooks: []chat.Hook{
				{Event: config.WebhookUndelivered, Unseen: 2 * time.Minute}, {Webhook: "a", Event: config.WebhookUndelivered, Unseen: 2 * time.Minute},
			}}, &c)
		}
		time.Sleep(time.Minute)
		if _, err := db.SaveSeen(t.Context(), "clr_seen", time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Second)
		if n := len(r.received()); n != 0 || nodes[0].counted("askgate_clarifications_undelivered", map[string]string{"app": "app"}) != 0 {
			t.Errorf("%d sent before the time", n)
		}
		time.Sleep(15 * time.Second)
		all := r.received()
		if len(all) != 1 || !strings.Contains(all[0].body, `"type":"clarification.undelivered"`) || !strings.Contains(all[0].body, "clr_unseen") {
			t.Errorf("%+v", all)
		}
		total := 0.0
		for _, n := range nodes {
			total += n.counted("askgate_clarifications_undelivered_total", map[string]string{"app": "app"})
			if now := n.counted("askgate_clarifications_undelivered", map[string]string{"app": "app"}); now != 1 {
				t.Errorf("%v are undelivered", now)
			}
		}
		if total != 1 {
			t.Errorf("counted %v times", total)
		}
	})
}

// A question that is erased before it is sent is not sent.
func TestErasedBeforeItIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, r := open(t), new(receiver)
		c := ask(t, db, "c", "clr_1")
		if err := db.Delete(t.Context(), chat.Ref{Tenant: "acme", Subject: "alice", App: "app", ChatID: "c"}, time.Time{}); err != nil {
			t.Fatal(err)
		}
		start(t, db, db, r, standard(""))
		time.Sleep(time.Minute)
		if all := r.received(); len(all) != 0 {
			t.Errorf("sent of %s: %+v", c.ID, all)
		}
	})
}

package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

const (
	// finding limits how long Slack and the store may take until it is known who presses, and answering
	// how long until the press is acknowledged: Slack waits 3 seconds
	// (https://docs.slack.dev/interactivity/handling-user-interaction, November 2026).
	finding   = 1500 * time.Millisecond
	answering = 1000 * time.Millisecond
	// telling limits what follows: a text for who pressed, an update of the message.
	telling = 10 * time.Second
)

// Presses takes what people press in Slack. It is safe for concurrent use.
type Presses struct {
	// Address reads the sealed address that a person's token gave, see channels.EmailOf. nil: none is
	// known.
	Address func(ctx context.Context, tenant, subject string) (sealed string, err error)

	mu      sync.Mutex
	clients map[string]made // by the channel's id
}

type made struct {
	of     config.Channel
	client *client
}

// clientOf returns the client of a channel, made again if the configuration has changed.
func (p *Presses) clientOf(c *config.Channel) (*client, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.clients[c.ID]; ok && reflect.DeepEqual(known.of, *c) {
		return known.client, nil
	}
	api, err := newClient(c)
	if err != nil {
		return nil, err
	}
	if p.clients == nil {
		p.clients = map[string]made{}
	}
	p.clients[c.ID] = made{*c, api}
	return api, nil
}

// Serve takes one interaction. Slack signs its requests: without a valid signature, nothing is read and
// nothing is told.
func (p *Presses) Serve(r *host.Request) error {
	channel, ok := r.Conf().Channel(r.Param("channel"))
	if !ok || channel.Type != config.ChannelSlack {
		return host.NotFound("channel")
	}
	body, err := read(r)
	if err != nil {
		return err
	}
	if !genuine(channel.SigningSecret, r.HTTP().Header, body, r.Host.Store.Now()) {
		return &host.Fault{Code: chat.CodeUnauthenticated, Detail: "slack_signature"}
	}
	pressed, err := parse(body)
	if err != nil {
		return host.Invalid("slack_payload", "payload")
	}
	if pressed == nil {
		return acknowledge(r)
	}
	api, err := p.clientOf(&channel)
	if err != nil {
		return err
	}
	at := &visit{Request: r, channel: &channel, client: api, press: pressed}
	if err := p.recognize(at); err != nil {
		return at.refuse(err)
	}
	if err := r.Admit(); err != nil {
		return err
	}
	return at.do()
}

// read reads the form that Slack sends.
func read(r *host.Request) ([]byte, error) {
	mediaType, _, err := mime.ParseMediaType(r.HTTP().Header.Get("Content-Type"))
	if err != nil || mediaType != "application/x-www-form-urlencoded" {
		return nil, &host.Fault{Code: chat.CodeUnsupportedMedia, Detail: "slack_form"}
	}
	release, err := host.Take(r, maxBody)
	defer release()
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(r.Response().ResponseWriter, r.HTTP().Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &host.Fault{Code: chat.CodeTooLarge, Params: map[string]any{"Limit": "256 KiB"}}
	}
	if err != nil { // Slack went away, or is too slow
		return nil, host.Invalid("slack_payload", "payload")
	}
	r.Response().BodyIsIn()
	return body, nil
}

// acknowledge tells Slack that the interaction has arrived.
func acknowledge(r *host.Request) error {
	_ = r.Send(http.StatusOK, host.TypeJSON, nil)
	return nil
}

// acknowledgeFirst is acknowledge if something follows: Slack must not send the next interaction on a
// connection that is still busy.
func acknowledgeFirst(r *host.Request) {
	r.Header().Set("Connection", "close")
	_ = acknowledge(r)
}

// visit is one press that is being handled.
type visit struct {
	*host.Request
	channel *config.Channel
	client  *client
	press   *press
	c       chat.Clarification
	reads   string // the language of who presses, as Slack has it
}

// refusedError is a refusal that the person who pressed is told, in the text with this id.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }

// recognize finds out who presses and what, and makes that person the caller.
func (p *Presses) recognize(v *visit) error {
	ctx, cancel := context.WithTimeout(v.Context(), finding)
	defer cancel()
	team, err := v.client.workspace(ctx)
	if err != nil {
		return err
	}
	if v.press.team != team {
		return &refusedError{"channel.slack.stranger"}
	}
	user, err := v.client.byID(ctx, v.press.user)
	if channels.Refused(err) {
		return &refusedError{"channel.slack.stranger"}
	} else if err != nil {
		return err
	}
	v.reads = user.Locale
	v.c, err = v.Host.Store.Clarification(ctx, v.press.question)
	if errors.Is(err, store.ErrNotFound) {
		return &refusedError{"channel.slack.not_yours"}
	} else if err != nil {
		return err
	}
	app, enabled := v.Setup().Config.App(v.c.App)
	who, locale, err := p.who(ctx, v.Conf(), &v.c, user.Profile.Email)
	switch {
	case err != nil:
		return err
	case !enabled || !v.channel.Wants(v.c.App) || !v.c.MayAnswer(who) || v.c.For != "" && !(host.Caller{Principal: who}).MayUse(app):
		return &refusedError{"channel.slack.not_yours"}
	}
	v.Caller.Principal = who
	v.App, v.Ref, v.ChatKnown = app, v.c.Ref, true
	v.Response().About.App = app.ID
	v.Speak(locale)
	return nil
}

// who returns the person of a question's tenant who has an address, and the person's locale: the one
// that the configuration names, or else the owner of the chat, if the address is that of the owner's
// token. The zero principal may answer nothing.
func (p *Presses) who(ctx context.Context, g *config.Gateway, c *chat.Clarification, email string) (chat.Principal, string, error) {
	for _, person := range g.People {
		if person.Tenant == c.Tenant && person.Email != "" && sameAddress(person.Email, email) {
			return chat.Principal{Tenant: c.Tenant, Subject: person.Subject, Roles: person.Roles}, person.Locale, nil
		}
	}
	if c.For != "" || p.Address == nil {
		return chat.Principal{}, "", nil
	}
	own, err := channels.EmailOf(ctx, g, p.Address, c.Tenant, c.Subject)
	if channels.Refused(err) || err == nil && !sameAddress(own, email) {
		return chat.Principal{}, "", nil
	} else if err != nil {
		return chat.Principal{}, "", err
	}
	person, _ := g.Person(c.Tenant, c.Subject)
	return chat.Principal{Tenant: c.Tenant, Subject: c.Subject, Roles: person.Roles}, person.Locale, nil
}

// sameAddress compares addresses in any case of ASCII letters: other letters that look alike, or are
// alike in Unicode, make another address.
func sameAddress(a, b string) bool { return lower(a) == lower(b) }

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// refuse tells the person who pressed why nothing happens. Any other fault becomes an error of the
// request, which Slack marks at the element that was pressed.
func (v *visit) refuse(err error) error {
	refused, ok := errors.AsType[*refusedError](err)
	if !ok {
		v.Logger().Warn("cannot find out who pressed in Slack", "channel", v.channel.ID, "error", err)
		return &host.Fault{Code: chat.CodeStoreUnavailable, Detail: "slack_unavailable"}
	}
	if _, ok := v.Host.Catalog.Match(v.reads); ok {
		v.Speak(v.reads)
	}
	v.Logger().Info("a press in Slack was refused", "channel", v.channel.ID, "why", strings.TrimPrefix(refused.text, "channel.slack."))
	return v.answer(v.Text(refused.text, nil))
}

// answer acknowledges the press, and shows a text to who pressed; "" shows none.
func (v *visit) answer(text string) error {
	if text != "" && v.press.text != nil { // the modal stays open
		return v.JSON(slack.ViewSubmissionResponse{ResponseAction: slack.RAErrors, Errors: map[string]string{blockOther: text}})
	}
	if text == "" {
		return acknowledge(v.Request)
	}
	acknowledgeFirst(v.Request)
	v.tell(text)
	return nil
}

func (v *visit) tell(text string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.Context()), telling)
	defer cancel()
	if err := v.client.tell(ctx, v.press.hook, text); err != nil {
		v.Logger().Warn("cannot tell a person in Slack what became of a press", "channel", v.channel.ID, "error", err)
	}
}

// do opens the modal, or takes the answer. If that takes long, the press is acknowledged before.
func (v *visit) do() error {
	if v.press.modal && v.c.State == tools.StatePending {
		return v.openModal()
	}
	type result struct {
		text string
		err  error
	}
	v.Outlive() // Slack may close the connection once the press is acknowledged
	done := make(chan result, 1)
	go func() {
		text, err := v.take()
		done <- result{text, err}
	}()
	slow := time.NewTimer(answering)
	defer slow.Stop()
	select {
	case got := <-done:
		if got.err != nil {
			return got.err
		}
		return v.answer(got.text)
	case <-slow.C:
	}
	acknowledgeFirst(v.Request)
	got := <-done
	switch {
	case got.err != nil:
		return got.err // is logged
	case got.text != "" && v.press.text == nil:
		v.tell(got.text)
	}
	return nil
}

func (v *visit) openModal() error {
	ctx, cancel := context.WithTimeout(v.Context(), answering)
	defer cancel()
	switch err := v.client.open(ctx, v.press.trigger, modal(&v.c, v.Text)); {
	case errors.Is(err, errTooLate):
		return v.answer(v.Text("channel.slack.too_late", nil))
	case err != nil:
		v.Logger().Warn("cannot open a modal in Slack", "channel", v.channel.ID, "error", err)
		return v.answer(v.Text("channel.slack.no_modal", nil))
	}
	return acknowledge(v.Request)
}

// take gives the answer to the engine. It returns what who pressed is told.
func (v *visit) take() (text string, err error) {
	answer, ok := v.answerTo()
	if !ok && !v.press.modal {
		return v.Text("channel.slack.not_yours", nil), nil
	}
	closed := v.c
	if !v.press.modal {
		closed, err = host.Answered(v.Request, v.c.ID, turn.Answer{Answer: answer}, chat.ChannelSlack)
	} else {
		err = &chat.Error{Code: chat.CodeClarificationClosed, Clarification: &closed}
	}
	if err == nil {
		if closed.State == tools.StatePending {
			return v.Text("channel.slack.decided", map[string]any{"Count": closed.Question.Quorum - len(closed.Decisions)}), nil
		}
		return "", nil
	}
	code := chat.CodeOf(err)
	if code == chat.CodeAlreadyAnswered || code == chat.CodeClarificationClosed {
		return v.over(&answer)
	}
	problem := v.Problem(err)
	if problem.Status >= http.StatusInternalServerError || problem.Status == http.StatusTooManyRequests {
		return "", err
	}
	return problem.Message, nil
}

// message returns what the channel says of the question.
func (v *visit) message(c *chat.Clarification) *channels.Message {
	return channels.NewMessage(v.Setup().Config, v.channel, c, v.Language(), v.Host.Catalog.Text)
}

// answerTo returns the answer that the press stands for.
func (v *visit) answerTo() (tools.Answer, bool) {
	if v.press.text != nil {
		return tools.Answer{Other: *v.press.text}, true
	}
	if !pressable(&v.c) {
		return tools.Answer{}, false
	}
	all := options(v.message(&v.c))
	if v.press.option < 0 || v.press.option >= len(all) {
		return tools.Answer{}, false
	}
	value, err := json.Marshal(all[v.press.option].Value)
	if err != nil { // a string marshals
		panic(err)
	}
	return tools.Answer{Value: value, Once: v.c.Question.Remember != ""}, true // a press is for the call that it shows
}

// over updates the message of a question that has ended, and says so, unless the same press had ended
// it.
func (v *visit) over(answer *tools.Answer) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.Context()), telling)
	defer cancel()
	now, err := v.Host.Store.Clarification(ctx, v.c.ID)
	if err != nil {
		return "", err
	}
	if v.press.message != "" {
		if err := v.client.end(ctx, v.press.message, v.message(&now)); err != nil {
			v.Logger().Warn("cannot update a message in Slack", "channel", v.channel.ID, "error", err)
		}
	}
	by := now.AnsweredBy
	if by != nil && by.Channel == chat.ChannelSlack && by.Subject == v.Caller.Subject && now.Answer != nil && string(now.Answer.Value) == string(answer.Value) && now.Answer.Other == answer.Other {
		return "", nil
	}
	return v.Text("channel.slack.over", nil), nil
}

package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/tools/outgoing"
)

const (
	// maxReply limits a response of Slack, in bytes.
	maxReply = 1 << 20
	// limitedFor is how long to wait if Slack says "ratelimited" without saying for how long.
	limitedFor = 30 * time.Second
	// hooks is where Slack takes responses to a press.
	hooks = "https://hooks.slack.com"
)

// client calls the methods of one channel's app. It is safe for concurrent use.
type client struct {
	api    *slack.Client
	toAPI  *http.Client
	toHook *http.Client

	mu   sync.Mutex
	team string // the bot's workspace; "" until it is known
}

func newClient(c *config.Channel) (*client, error) {
	target, err := url.Parse(c.API)
	if err != nil {
		return nil, errors.New(`"api" is not an address; write it like "https://slack.com/api"`)
	}
	o := outgoing.Options{AllowPrivate: c.AllowPrivate, MaxBody: maxReply}
	toAPI, err := outgoing.New(target, o)
	if err != nil {
		return nil, fmt.Errorf(`"api": %w`, err)
	}
	forHooks, _ := url.Parse(hooks) // a constant
	toHook, err := outgoing.New(forHooks, o)
	if err != nil {
		return nil, err
	}
	api := slack.New(c.Token, slack.OptionHTTPClient(toAPI), slack.OptionAPIURL(c.API+"/"))
	return &client{api: api, toAPI: toAPI, toHook: toHook}, nil
}

func (c *client) close() {
	c.toAPI.CloseIdleConnections()
	c.toHook.CloseIdleConnections()
}

// workspace returns the id of the bot's own workspace.
func (c *client) workspace(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.team != "" {
		return c.team, nil
	}
	me, err := c.api.AuthTestContext(ctx)
	if err != nil {
		return "", fault("auth.test", err)
	}
	c.team = me.TeamID
	return c.team, nil
}

// errNoMember is for people whom Slack does not vouch for.
var errNoMember = &channels.RefusedError{Why: "Slack knows no full member of the bot's own workspace with this address, confirmed"}

// byEmail finds the full member with an address.
func (c *client) byEmail(ctx context.Context, email string) (*slack.User, error) {
	u, err := c.api.GetUserByEmailContext(ctx, email)
	if err != nil {
		return nil, fault("users.lookupByEmail", err)
	}
	return c.member(ctx, u)
}

// byID finds the full member with an id, as Slack has it now.
func (c *client) byID(ctx context.Context, id string) (*slack.User, error) {
	u, err := c.api.GetUserInfoContext(ctx, id)
	if err != nil {
		return nil, fault("users.info", err)
	}
	if u.ID != id {
		return nil, errNoMember
	}
	return c.member(ctx, u)
}

// member returns a user who is a full member of the bot's own workspace and has a confirmed address:
// the address of anyone else proves nothing.
func (c *client) member(ctx context.Context, u *slack.User) (*slack.User, error) {
	team, err := c.workspace(ctx)
	switch {
	case err != nil:
		return nil, err
	case u.TeamID == "" || u.TeamID != team, u.Deleted, u.IsBot, u.IsWorkflowBot, u.IsConnectorBot, u.IsRestricted, u.IsUltraRestricted, u.IsStranger,
		u.IsInvitedUser, !u.IsEmailConfirmed, u.Profile.Email == "":
		return nil, errNoMember
	}
	return u, nil
}

// tell shows a text to the one who pressed, and to no one else. hook is what Slack sent with the press;
// it may lead to Slack only.
func (c *client) tell(ctx context.Context, hook, text string) error {
	u, err := url.Parse(hook)
	if err != nil || hook == "" {
		return errors.New("the press has no valid response_url")
	}
	through := c.toAPI // which refuses every other origin
	if "https://"+u.Host == hooks {
		through = c.toHook
	}
	err = slack.PostWebhookCustomHTTPContext(ctx, hook, through, &slack.WebhookMessage{Text: escaped(text), ResponseType: slack.ResponseTypeEphemeral})
	return fault("response_url", err)
}

// errTooLate is for a press that is too old for a modal: Slack takes one within 3 seconds
// (https://docs.slack.dev/interactivity/handling-user-interaction, November 2026).
var errTooLate = errors.New("the press is too old for a modal")

// open opens a modal for who pressed.
func (c *client) open(ctx context.Context, trigger string, view slack.ModalViewRequest) error {
	_, err := c.api.OpenViewContext(ctx, trigger, view)
	if e, ok := errors.AsType[slack.SlackErrorResponse](err); ok && slices.Contains([]string{"expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id"}, e.Err) {
		return errTooLate
	}
	if errors.Is(err, slack.ErrParametersMissing) {
		return errTooLate
	}
	return fault("views.open", err)
}

// scopes are what the bot needs.
const scopes = "chat:write, im:write, users:read and users:read.email"

// errorCode matches the codes of Slack's errors.
var errorCode = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// noPerson are the errors that say that the person cannot be told, however often it is tried.
// Sources: https://docs.slack.dev/reference/methods/users.lookupByEmail, .../users.info and
// .../conversations.open, November 2026.
var noPerson = []string{"users_not_found", "user_not_found", "user_not_visible", "user_disabled", "cannot_dm_bot", "is_bot"}

// advice says how to fix what an error is about.
var advice = map[string]string{ //nolint:gosec // errors, by their names
	"invalid_auth":           `Slack refuses the token; set "token" to the bot token of the installed app`,
	"not_authed":             `Slack refuses the token; set "token" to the bot token of the installed app`,
	"token_revoked":          "the token was revoked; install the app again and set its new bot token",
	"token_expired":          "the token has expired; turn off token rotation of the app and set its new bot token",
	"account_inactive":       "the app is no longer installed; install it again and set its new bot token",
	"not_allowed_token_type": `Slack refuses the kind of token; set "token" to the bot token, xoxb-...`,
	"channel_not_found":      "Slack does not find the direct message; allow messages of the app in its App Home, and give its bot the scope im:write",
	"not_in_channel":         "the bot is not in the conversation; allow messages of the app in its App Home, and give its bot the scope im:write",
	"messages_tab_disabled":  "the app takes no direct messages; turn on the Messages Tab in its App Home",
	"is_archived":            "the conversation is archived; open it again in Slack",
	"message_not_found":      "the message was deleted in Slack",
	"cant_update_message":    "the message is of another app; use the token of the app that sent it",
	"edit_window_closed":     "the workspace no longer lets the message be changed",
}

// fault returns what went wrong, without a word of a server.
func fault(method string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*slack.RateLimitedError](err); ok {
		return &channels.WaitError{Why: "Slack limits the rate of " + method, For: e.RetryAfter}
	}
	if e, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
		return faultOf(method, &e)
	}
	if e, ok := errors.AsType[slack.StatusCodeError](err); ok {
		return fmt.Errorf("%s: Slack answers with status %d", method, e.Code)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New(method + ": Slack does not answer in time")
	}
	_, why := outgoing.Cause(err)
	return fmt.Errorf("%s: %w", method, why)
}

func faultOf(method string, e *slack.SlackErrorResponse) error {
	switch {
	case slices.Contains(noPerson, e.Err):
		return errNoMember
	case e.Err == "ratelimited" || e.Err == "rate_limited":
		return &channels.WaitError{Why: "Slack limits the rate of " + method, For: limitedFor}
	case e.Err == "missing_scope" && e.Needed != "" && strings.Contains(scopes, e.Needed):
		return fmt.Errorf("%s: the bot lacks the scope %s; add it to the app and install it again", method, e.Needed)
	case e.Err == "missing_scope":
		return fmt.Errorf("%s: the bot lacks a scope; give it %s, and install the app again", method, scopes)
	case advice[e.Err] != "":
		return fmt.Errorf("%s: %s", method, advice[e.Err])
	case errorCode.MatchString(e.Err):
		return fmt.Errorf("%s: Slack answers with the error %q", method, e.Err)
	}
	return fmt.Errorf("%s: Slack answers with an error that has no valid code", method)
}

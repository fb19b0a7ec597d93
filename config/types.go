package config

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"strings"
	"time"
)

// Source hands configurations over to the one who works by them. Safe for concurrent use.
type Source interface {
	// Follow calls take with the configuration in force before it returns, and later with
	// each new one before that is in force. Calls do not overlap. A configuration for which
	// take returns an error is rejected: Follow returns the first such error, later ones are
	// reported as the files' faults are, and what was in force stays so.
	Follow(take func(*Snapshot) error) error
}

// Duration is a length of time as the files write it: Go's notation ("30s",
// "1h30m") and, because questions wait for people, whole days in front
// ("90d", "1d12h"; a day is 24 hours).
type Duration time.Duration

// Std is d as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Gateway is gateway.json with every default filled in.
type Gateway struct {
	Listen          string           `json:"listen"`      // host:port
	AdminListen     string           `json:"adminListen"` // empty: metrics and health on Listen
	TLS             TLS              `json:"tls"`
	Store           string           `json:"store"`  // sqlite:PATH or postgres://...
	Redis           string           `json:"redis"`  // empty: in process
	Models          map[string]Model `json:"models"` // always has "default"
	Auth            Auth             `json:"auth"`
	Limits          GatewayLimits    `json:"limits"`
	Clarifications  Clarifications   `json:"clarifications"`
	CORS            CORS             `json:"cors"`
	Hosts           []string         `json:"hosts"`          // answered in the modes none and proxy beside loopback's, as ParseHost gives them
	TrustedProxies  []netip.Prefix   `json:"trustedProxies"` // whose X-Forwarded-For says where a call comes from
	Audit           Audit            `json:"audit"`
	PublicURL       string           `json:"publicUrl"` // without a slash at the end, perhaps with a path; empty: Listen
	Webhooks        []Webhook        `json:"webhooks"`
	Files           Files            `json:"files"`
	Documents       Documents        `json:"documents"`
	Retention       Duration         `json:"retention"` // of chats that nobody changes any more; 0: for ever
	ShutdownTimeout Duration         `json:"shutdownTimeout"`
}

// Files says where the files are kept that people upload as answers, and how much of them.
type Files struct {
	Store        string `json:"store"`        // a folder, or s3://BUCKET...; empty: see Gateway.FilesStore
	MaxBytes     int64  `json:"maxBytes"`     // of one file; 0: none is taken
	PerChat      int    `json:"perChat"`      // files of a chat
	PerChatBytes int64  `json:"perChatBytes"` // and what they hold together
}

// Documents says where the indexes of documents are kept, which can be made anew.
type Documents struct {
	Cache string `json:"cache"` // a folder; empty: see Gateway.DocumentsCache
}

// DocumentsCache is the folder of the indexes: beside the SQLite file, else in the working
// directory, unless it says otherwise.
func (g *Gateway) DocumentsCache() string {
	path, sqlite := strings.CutPrefix(g.Store, "sqlite:")
	path, _, _ = strings.Cut(path, "?")
	switch {
	case g.Documents.Cache != "":
		return g.Documents.Cache
	case !sqlite || path == ":memory:":
		path = "askgate"
	}
	return strings.TrimPrefix(path, "//") + ".documents"
}

// FilesStore is where files are kept: beside the SQLite file unless it says otherwise. Empty:
// none are taken.
func (g *Gateway) FilesStore() string {
	path, sqlite := strings.CutPrefix(g.Store, "sqlite:")
	path, _, _ = strings.Cut(path, "?")
	switch {
	case g.Files.MaxBytes == 0:
		return ""
	case g.Files.Store != "" || !sqlite || path == ":memory:":
		return g.Files.Store
	}
	return path + ".files"
}

// TLS is what Listen shows to its clients; without a certificate it speaks plain HTTP.
type TLS struct {
	Cert string `json:"cert"` // PEM file: the certificate, then those between it and the root
	Key  string `json:"key"`  // PEM file
	// Certificate is what the files held when they were read; nil: none is given.
	Certificate *tls.Certificate `json:"-"`
}

// Model says how to reach one language model. What is tried after it: Snapshot.Fallbacks.
type Model struct {
	Provider string   `json:"provider"` // openai, anthropic, gemini, demo
	API      string   `json:"api"`      // of provider openai: auto, chat, responses; "" of others
	BaseURL  string   `json:"baseUrl"`  // without a trailing slash
	APIKey   string   `json:"apiKey"`   // secret: never logged
	Model    string   `json:"model"`    // the name the server knows
	Timeout  Duration `json:"timeout"`
	// StepTimeout is of a whole request and its answer; 0: ten times Timeout.
	StepTimeout Duration `json:"stepTimeout"`
	MaxRetries  int      `json:"maxRetries"`
	MaxTokens   int      `json:"maxTokens"` // of one answer, its reasoning included; 0: the provider's default
	// ContextTokens is what a request may have: prompt, definitions and room for the answer;
	// 0: as much as the server takes.
	ContextTokens int `json:"contextTokens"`
	// Images says that the model sees images, those that people upload as answers.
	Images bool `json:"images"`
	PDF    bool `json:"pdf"` // it reads PDFs, likewise

	Temperature *float64          `json:"temperature"` // nil: not sent; an app's own wins
	Reasoning   Reasoning         `json:"reasoning"`
	Cache       bool              `json:"cache"`   // prompts are marked for the server's cache
	Headers     map[string]string `json:"headers"` // secret values: never logged
	// Body is merged into each request. Values may hold secrets: of them, too, only the names of
	// the keys are shown.
	Body   map[string]json.RawMessage `json:"body"`
	Prices *Prices                    `json:"prices"` // nil: what it costs is not counted
	// Secrets are what Headers and Body have from the environment.
	Secrets []string `json:"-"`
}

// Fingerprint is the same for settings that are the same, and only for them. It tells nothing of
// the secrets in them.
func (m *Model) Fingerprint() string {
	raw, _ := json.Marshal(struct { // texts, numbers and JSON
		*Model
		Secrets []string
	}{m, m.Secrets})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Reasoning says how much a model reasons before it answers, and whether people see it.
type Reasoning struct {
	Effort string `json:"effort"` // none, minimal, low, medium, high, xhigh, max; "": the server's default
	Show   bool   `json:"show"`
}

// Prices are those of a million tokens.
type Prices struct {
	Currency   string  `json:"currency"` // three letters
	Input      float64 `json:"input"`
	Cached     float64 `json:"cached"`     // of input that was read from a cache
	CacheWrite float64 `json:"cacheWrite"` // of input that was written to one
	Output     float64 `json:"output"`
}

// Auth says how callers prove who they are.
type Auth struct {
	Mode  string   `json:"mode"` // none, apiKeys, jwt, proxy
	Keys  []APIKey `json:"keys"`
	JWT   JWT      `json:"jwt"`
	Proxy Proxy    `json:"proxy"`
	// Roles are what roles let their holders do, in every mode that has roles.
	Roles   map[string]RoleRights `json:"roles"`
	Session Session               `json:"session"`
}

// Session says how browsers stay signed in, in the modes apiKeys and jwt, and in every mode
// what shows that a question is the gateway's own.
type Session struct {
	// Secret seals the cookies, and the questions in the store and Redis; never logged;
	// empty: each process has its own for cookies, and questions are not sealed.
	Secret       string   `json:"secret"`
	OtherSecrets []string `json:"otherSecrets"` // whose seals of questions are accepted, too; never logged
	Lasts        Duration `json:"lasts"`
}

// JWT says which signed tokens are accepted, and where they say who calls.
type JWT struct {
	JWKS       string   `json:"jwks"` // the key set: http(s)://..., else the path of a file
	Issuer     string   `json:"issuer"`
	Audience   []string `json:"audience"`   // one of these
	Skew       Duration `json:"skew"`       // how far clocks may be apart
	Algorithms []string `json:"algorithms"` // of signatures; none of them symmetric
	Tenant     string   `json:"tenant"`     // of every caller, where Claims.Tenant is empty
	Claims     Origins  `json:"claims"`
}

// Proxy says which proxies are trusted, and where they say who calls.
type Proxy struct {
	From    []netip.Prefix `json:"from"`   // addresses that it connects from
	Tenant  string         `json:"tenant"` // of every caller, where Headers.Tenant is empty
	Headers Origins        `json:"headers"`
}

// Origins are the names of the claims or headers that say who calls.
type Origins struct {
	Tenant  string `json:"tenant"` // empty: the tenant is fixed
	Subject string `json:"subject"`
	Roles   string `json:"roles"` // empty: nobody has any
	// Interactive says by false that nobody answers what is asked of the caller. Left out
	// where it is empty: sessions hang on the rules' JSON.
	Interactive string `json:"interactive,omitempty"`
	// MayAsk has who the caller may ask, as APIKey.MayAsk. Left out likewise.
	MayAsk string `json:"mayAsk,omitempty"`
}

// Audit says whether the store records who asked and who answered.
type Audit struct {
	Enabled bool `json:"enabled"`
	Texts   bool `json:"texts"` // what was asked and answered, too
}

// CORS says which other sites' pages may call.
type CORS struct {
	Origins []string `json:"origins"` // as browsers write them: https://host[:port], in lower case
}

// APIKey is one accepted key. The key itself is not stored, only its hash.
type APIKey struct {
	ID       string   `json:"id"`
	Hash     string   `json:"hash"` // sha256:<64 lower-case hex digits> of the whole key
	Tenant   string   `json:"tenant"`
	Subject  string   `json:"subject"`
	Roles    []string `json:"roles"`
	MayActAs bool     `json:"mayActAs"`
	// Interactive is false where nobody answers what is asked because of its messages.
	Interactive bool `json:"interactive"`
	// MayAsk are the subjects, "role:" and a role, or "*" for everybody of the tenant, whom
	// its programs may ask. Each may ask itself.
	MayAsk []string `json:"mayAsk"`
}

// Limits bounds what one principal may ask for in one app.
type Limits struct {
	RequestsPerMinute    int `json:"requestsPerMinute"`    // 0: no limit
	Burst                int `json:"burst"`                // 0: RequestsPerMinute
	ConcurrentTurns      int `json:"concurrentTurns"`      // 0: no limit
	TurnsPerMinutePerApp int `json:"turnsPerMinutePerApp"` // over all principals; 0: no limit
	Streams              int `json:"streams"`              // open /events, over all apps; 0: no limit
}

// GatewayLimits are the apps' limits, and those that go over all apps.
type GatewayLimits struct {
	Limits
	RequestsPerMinutePerTenant  int    `json:"requestsPerMinutePerTenant"`  // messages and answers; 0: no limit
	ReadsPerMinute              int    `json:"readsPerMinute"`              // GETs of a principal; 0: no limit
	RequestsPerMinutePerAddress int    `json:"requestsPerMinutePerAddress"` // calls of any kind; 0: no limit
	StoredBytes                 int64  `json:"storedBytes"`                 // texts and files of a principal; 0: no limit
	Tokens                      Tokens `json:"tokens"`
}

// Tokens are the budgets of model tokens, input and output together.
type Tokens struct {
	PerPrincipal Budget `json:"perPrincipal"`
	PerTenant    Budget `json:"perTenant"`
}

// Budget is what may be used in each window of time. Windows follow one another without
// a gap, from a Monday's midnight in UTC on.
type Budget struct {
	Max    int64    `json:"max"` // 0: no limit
	Window Duration `json:"window"`
}

// Clarifications bounds what the model may ask the user, and how many of its calls are shown for
// approval.
type Clarifications struct {
	PerConversation    int      `json:"perConversation"`    // 0: never ask
	PerTurn            int      `json:"perTurn"`            // 0: never ask
	ApprovalsPerTurn   int      `json:"approvalsPerTurn"`   // calls shown for approval; 0: none is, and no call that needs a yes is made
	PerPrincipalPerDay int      `json:"perPrincipalPerDay"` // over all apps, by days of UTC; 0: no limit
	PerAskerPerDay     int      `json:"perAskerPerDay"`     // of programs, by who has them ask, over all apps, by days of UTC; 0: no limit
	PerAppPerMinute    int      `json:"perAppPerMinute"`    // over all principals; 0: no limit
	MaxQuestions       int      `json:"maxQuestions"`       // questions of one call
	MaxOptions         int      `json:"maxOptions"`         // options of one question
	MaxAnswer          int      `json:"maxAnswer"`          // Unicode code points of a text answer
	ExpiresIn          Duration `json:"expiresIn"`          // 0: never expires
	Secrets            string   `json:"secrets"`            // what becomes of a question for a password and the like
	SecretWords        []string `json:"secretWords"`        // the admin's own names of secrets
	AllowOther         string   `json:"allowOther"`         // who says that a choice takes a text instead
	Repeats            string   `json:"repeats"`            // what becomes of a question that the turn has an answer to
	Hint               bool     `json:"hint"`               // the model is told to ask the rest at once
	// Keys are how answers are kept of a person, by the key of what is asked.
	Keys                  map[string]Remember `json:"keys"`
	OnMessageWhilePending string              `json:"onMessageWhilePending"`
	OnMessageWhileRunning string              `json:"onMessageWhileRunning"`
}

// The values of Clarifications.Secrets: the call is refused, the reader is
// warned, nobody looks.
const (
	SecretsRefuse = "refuse"
	SecretsWarn   = "warn"
	SecretsAllow  = "allow"
)

// The values of Clarifications.AllowOther: the model, with each question; or all do.
const (
	AllowOtherModel  = "model"
	AllowOtherAlways = "always"
)

// The values of Clarifications.Repeats: the model gets the answer that there is, or the question
// is asked again.
const (
	RepeatsReturn = "return"
	RepeatsAsk    = "ask"
)

// The values of Clarifications.OnMessageWhilePending. PendingQueue keeps the message until
// the turn that asks is over.
const (
	PendingAnswer    = "answer"
	PendingSupersede = "supersede"
	PendingReject    = "reject"
	PendingQueue     = "queue"
)

// The values of Clarifications.OnMessageWhileRunning. RunningQueue keeps the message
// until the turn, and what it asks, is over; PendingReject refuses it.
const RunningQueue = "queue"

// The values of Model.Provider.
const (
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
	ProviderGemini    = "gemini"
	ProviderDemo      = "demo"
)

// The values of Model.API. Auto: as the address of the server says.
const (
	APIAuto      = "auto"
	APIChat      = "chat"      // Chat Completions
	APIResponses = "responses" // OpenAI's Responses
)

// The values of Auth.Mode.
const (
	AuthNone    = "none"
	AuthAPIKeys = "apiKeys"
	AuthJWT     = "jwt"
	AuthProxy   = "proxy"
)

// The values of Tool.Type that every program knows; the others are those of Options.Tools.
const (
	TypeAskUser = "ask_user"
	TypeBuiltin = "builtin" // runs in this process under its id: see ToolType.Builtin
)

// The values of Tool.ApprovalRemember.
const (
	RememberNever = "never" // each call is asked about, as without the key
	RememberChat  = "chat"  // an approval counts for the tool's later calls in its chat
)

// The values of Tool.Unfounded: what becomes of a call with a required argument that nobody
// gave.
const (
	UnfoundedAllow  = "allow"  // nobody looks
	UnfoundedCount  = "count"  // it is counted, and marked where a person approves the call
	UnfoundedAsk    = "ask"    // a person approves the call first
	UnfoundedRefuse = "refuse" // the model is told to ask
)

// App is one apps/<id>.json. Its Limits and Clarifications are already merged,
// key by key, with the gateway's.
type App struct {
	ID             string         `json:"id"`
	Enabled        bool           `json:"enabled"`
	Name           Text           `json:"name"`
	Description    Text           `json:"description"`
	System         Text           `json:"system"`
	Model          string         `json:"model"`     // a key of Gateway.Models
	Tools          []string       `json:"tools"`     // exact tool ids, in the order they are offered
	Prompt         Text           `json:"prompt"`    // what the model reads in place of a message; zero: the message
	Variables      []Variable     `json:"variables"` // what Prompt and System are filled with
	StarterPrompts []Text         `json:"starterPrompts"`
	Interactive    bool           `json:"interactive"` // false: nobody answers, so nothing is asked
	MaxSteps       int            `json:"maxSteps"`
	Temperature    *float64       `json:"temperature"` // nil: the model's own
	Limits         Limits         `json:"limits"`
	Clarifications Clarifications `json:"clarifications"`
	Retention      Duration       `json:"retention"` // 0: for ever
	Access         Access         `json:"access"`
	AISDK          AISDK          `json:"aiSdk"`
	AGUI           AGUI           `json:"agUi"`
	MCP            MCP            `json:"mcp"`
	ClientTools    string         `json:"clientTools"` // whether clients bring tools of their own
	Titles         string         `json:"titles"`      // who gives chats their titles
	Attachments    Attachments    `json:"attachments"`
	// ClientInstructions: what becomes of what a client's program says to the model beside the person.
	ClientInstructions string `json:"clientInstructions"`
	Memory             bool   `json:"memory"` // the model may keep words of a person for later chats
	MaxFile            int64  `json:"-"`      // bytes of a file that answers a question; 0: none is taken
}

// The values of App.Titles: a chat is called as its first message begins; or the model names it.
const (
	TitlesFirst = "first"
	TitlesModel = "model"
)

// The values of App.ClientInstructions: the model is not told; it is told with the person's message,
// with no more authority; a request that has some is refused.
const (
	InstructionsIgnore = "ignore"
	InstructionsAppend = "append"
	InstructionsRefuse = "refuse"
)

// Attachments are the files that people may send with a message.
type Attachments struct {
	MaxFiles int      `json:"maxFiles"` // of one message; 0: none are taken
	MaxBytes int64    `json:"maxBytes"` // of one file
	Accept   []string `json:"accept"`   // see tools.Accepts; none: any
}

// AISDK says what an app's clients of the AI SDK can do.
type AISDK struct {
	// Approvals: they have ai 6 or later and know approvals; else an approval is a question.
	Approvals bool `json:"approvals"`
}

// The values of App.ClientTools: what becomes of the tools that a request of a front has.
const (
	ClientToolsOff = "off" // they are passed over
	ClientToolsOn  = "on"  // the turn offers them, and the client runs them
)

// The values of AGUI.Mode: how a question goes out. Auto: as the request shows that the
// client knows.
const (
	AGUIAuto      = "auto"
	AGUITool      = "tool"
	AGUIInterrupt = "interrupt"
)

// AGUI says what an app's clients of AG-UI can do.
type AGUI struct {
	Mode string `json:"mode"`
}

// MCP says what an app's clients of MCP may do.
type MCP struct {
	// Elicit: one that can asks its own user, instead of waiting for whom the gateway tells.
	Elicit bool `json:"elicit"`
	// Tool is what the tool that asks is called, for all clients; "": ask_user, or ask_person for
	// those that hide a tool of that name.
	Tool string `json:"tool"`
}

// Access says who may use an app: a caller with one of Roles; no roles: everybody.
type Access struct {
	Roles []string `json:"roles"`
}

// Tool is one entry of tools.json, or of an app's own tools.json laid over it.
type Tool struct {
	ID                string          `json:"id"`
	Type              string          `json:"type"`
	Name              Text            `json:"name"`
	Description       Text            `json:"description"`
	RequiresUserInput bool            `json:"requiresUserInput"`
	NeedsApproval     bool            `json:"needsApproval"`
	ApprovalRole      string          `json:"-"`                // whose holders approve; "": who owns the chat
	Editable          bool            `json:"editable"`         // whoever approves may change the arguments
	ApprovalRemember  string          `json:"approvalRemember"` // RememberNever, RememberChat, or "" where it is not given
	Unfounded         string          `json:"unfounded"`        // UnfoundedAllow and so on; "" where it is not given: UnfoundedCount
	Parameters        json.RawMessage `json:"parameters"`       // standard JSON, still localised; nil: none given
	// Own is what the type reads under its own key; nil where it has none. It is shared: it
	// must not be changed.
	Own any `json:"-"`
	// Templates are the questions of an ask_user that the model asks by name.
	Templates map[string]*Template `json:"templates"`

	kind *ToolType // nil in one that was made by hand
}

// IsFamily says that the entry stands for several tools, each <id>__<name>.
func (t *Tool) IsFamily() bool { return t.kind != nil && t.kind.Family != "" }

// Shown is what an admin may see of the type's own keys.
func (t *Tool) Shown() Shown {
	if t.kind == nil || t.kind.Shown == nil {
		return Shown{}
	}
	return t.kind.Shown(t)
}

// MemberSeparator stands between the id of an entry that is a family and a member's name.
const MemberSeparator = "__"

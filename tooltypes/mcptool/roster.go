package mcptool

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/elicit"
)

// Limits of a list. What is over one is left out, and the log says so.
const (
	maxTools       = tools.MaxDefinitions // offered by one server
	maxListed      = 2000
	maxPages       = 100
	maxName        = 64   // characters, with the prefix: what models take
	maxDescription = 4000 // code points; a longer one is cut
	maxSchema      = 32 << 10
	maxSchemaDepth = 32
)

// roster is what a server offers, as it was listed once.
type roster struct {
	definitions []tools.Definition
	byName      map[string]*member // by the name on offer
}

// member is one tool of a server.
type member struct {
	name       string // the server's
	schema     *arguments.Schema
	repeatable bool
}

// catalog is what a server offers now.
type catalog struct {
	o      *Options
	log    *slog.Logger
	speech *speech
	roster atomic.Pointer[roster] // nil: it was never read
}

// list reads the tools of the server, and offers those that can be.
func (c *catalog) list(ctx context.Context, session *mcp.ClientSession) error {
	var listed []*mcp.Tool
	params := &mcp.ListToolsParams{}
	for page := 0; page < maxPages && len(listed) < maxListed; page++ {
		result, err := session.ListTools(ctx, params)
		var refused *jsonrpc.Error
		if errors.As(err, &refused) && refused.Code == jsonrpc.CodeMethodNotFound {
			break // it has none; what it says of its capabilities is not always right
		}
		if err != nil {
			return err
		}
		listed = append(listed, result.Tools...)
		if result.NextCursor == "" {
			break
		}
		params = &mcp.ListToolsParams{Cursor: result.NextCursor}
	}
	c.roster.Store(c.enroll(listed))
	return nil
}

// enroll takes what can be offered of a list, in the order of the names: the model's
// prompt then only changes with the tools.
func (c *catalog) enroll(listed []*mcp.Tool) *roster {
	r := &roster{byName: map[string]*member{}}
	listed = slices.DeleteFunc(slices.Clone(listed), func(t *mcp.Tool) bool {
		return t == nil || c.o.Tools != nil && !slices.Contains(c.o.Tools, t.Name)
	})
	for _, name := range c.o.Tools {
		if !slices.ContainsFunc(listed, func(t *mcp.Tool) bool { return t.Name == name }) {
			c.log.Warn("mcp server has no such tool", "key", "mcp.tools", "tool", name)
		}
	}
	slices.SortStableFunc(listed, func(a, b *mcp.Tool) int { return cmp.Compare(a.Name, b.Name) })
	for i, t := range listed {
		if len(r.definitions) == maxTools {
			c.log.Warn("mcp server has too many tools, the rest is left out; name those that you need", "key", "mcp.tools", "offered", maxTools, "left", len(listed)-i)
			break
		}
		name := offered(c.o.ID, t.Name)
		m, definition, err := c.enlist(name, t)
		if err == nil && r.byName[name] != nil {
			err = errors.New("another one has the same name")
		}
		if err != nil {
			c.log.Warn("tool of an mcp server left out", "tool", name, "error", err)
			continue
		}
		r.byName[name] = m
		r.definitions = append(r.definitions, definition)
	}
	return r
}

// offered is the name under which a server's tool is offered: in the letters that all
// models take, and a hash at the end where it would be too long.
func offered(id, name string) string {
	letters := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
	full := id + config.MemberSeparator + letters
	if len(full) <= maxName {
		return full
	}
	sum := sha256.Sum256([]byte(name))
	tail := "_" + hex.EncodeToString(sum[:4])
	return full[:maxName-len(tail)] + tail
}

func (c *catalog) enlist(name string, t *mcp.Tool) (*member, tools.Definition, error) {
	schema, err := parameters(t.InputSchema)
	if err != nil {
		return nil, tools.Definition{}, err
	}
	schema = json.RawMessage(c.speech.redactor.Replace(string(schema)))
	compiled, err := arguments.Compile(schema)
	if errors.Is(err, arguments.ErrExpands) {
		return nil, tools.Definition{}, err
	}
	if err != nil {
		return nil, tools.Definition{}, errors.New("its input schema is no JSON Schema, or leads elsewhere")
	}
	m := &member{name: t.Name, schema: compiled}
	if a := t.Annotations; a != nil {
		m.repeatable = a.ReadOnlyHint || a.IdempotentHint
	}
	text := cmp.Or(t.Description, t.Title, t.Name)
	return m, tools.Definition{Name: name, Description: tools.Shorten(elicit.Clean(c.speech.redactor.Replace(text)), maxDescription), Parameters: schema}, nil
}

// parameters checks an input schema, and makes it one that all models take.
func parameters(schema any) (json.RawMessage, error) {
	if schema == nil {
		schema = map[string]any{} // against the protocol, but clear
	}
	root, ok := schema.(map[string]any)
	if !ok {
		return nil, errors.New("its input schema is no object")
	}
	if kind, there := root["type"]; there && kind != "object" {
		return nil, errors.New("its arguments are no object")
	}
	root["type"] = "object"
	if _, there := root["properties"]; !there {
		root["properties"] = map[string]any{}
	}
	if depth(root) > maxSchemaDepth {
		return nil, fmt.Errorf("its input schema is deeper than %d", maxSchemaDepth)
	}
	raw, err := json.Marshal(root)
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxSchema:
		return nil, fmt.Errorf("its input schema has %d bytes, the limit is %d", len(raw), maxSchema)
	}
	return raw, nil
}

func depth(value any) int {
	deepest := 0
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			deepest = max(deepest, depth(v))
		}
	case []any:
		for _, v := range value {
			deepest = max(deepest, depth(v))
		}
	default:
		return 0
	}
	return 1 + deepest
}

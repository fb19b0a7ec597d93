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

// Limits of a list. What exceeds one is left out and logged.
const (
	maxTools       = tools.MaxDefinitions // offered by one server
	maxListed      = 2000
	maxPages       = 100
	maxName        = 64   // characters, including the prefix: the limit of models
	maxDescription = 4000 // code points; longer ones are cut
	maxSchema      = 32 << 10
	maxSchemaDepth = 32
)

// roster is one list of a server's tools.
type roster struct {
	definitions []tools.Definition
	byName      map[string]*member // by the offered name
}

// member is one tool of a server.
type member struct {
	name       string // the server's
	schema     *arguments.Schema
	repeatable bool
}

// catalog holds the current list of a server's tools.
type catalog struct {
	o      *Options
	log    *slog.Logger
	speech *speech
	// partial is set for a server that lists other tools for other callers: it need not have each of
	// o.Tools.
	partial bool
	roster  atomic.Pointer[roster] // nil until it is read
}

// list reads the server's tools, and offers those that are valid.
func (c *catalog) list(ctx context.Context, session *mcp.ClientSession) error {
	var listed []*mcp.Tool
	params := &mcp.ListToolsParams{}
	for page := 0; page < maxPages && len(listed) < maxListed; page++ {
		result, err := session.ListTools(ctx, params)
		var refused *jsonrpc.Error
		if errors.As(err, &refused) && refused.Code == jsonrpc.CodeMethodNotFound {
			break // it has no tools; its capabilities are not always right
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

// enroll returns the tools of a list that can be offered, sorted by name, so that the prompt
// changes only with the tools.
func (c *catalog) enroll(listed []*mcp.Tool) *roster {
	r := &roster{byName: map[string]*member{}}
	for key, names := range map[string][]string{"mcp.tools": c.o.Tools, "needsApproval.tools": c.o.Approvals} {
		for _, name := range names {
			if !c.partial && !slices.ContainsFunc(listed, func(t *mcp.Tool) bool { return t != nil && t.Name == name }) {
				c.log.Warn("mcp server has no such tool", "key", key, "tool", name)
			}
		}
	}
	listed = slices.DeleteFunc(slices.Clone(listed), func(t *mcp.Tool) bool {
		return t == nil || c.o.Tools != nil && !slices.Contains(c.o.Tools, t.Name)
	})
	slices.SortStableFunc(listed, func(a, b *mcp.Tool) int { return cmp.Compare(a.Name, b.Name) })
	for i, t := range listed {
		if len(r.definitions) == maxTools {
			c.log.Warn("mcp server has too many tools, the rest is left out; list the ones you need", "key", "mcp.tools", "offered", maxTools, "left", len(listed)-i)
			break
		}
		name := offered(c.o.ID, t.Name)
		m, definition, err := c.enlist(name, t)
		if err == nil && r.byName[name] != nil {
			err = errors.New("another tool has the same name")
		}
		if err == nil && c.approvedAs(name, t.Name) {
			err = errors.New("needsApproval.tools names another tool with the same name")
		}
		if err != nil {
			c.log.Warn("tool of mcp server left out", "tool", name, "error", err)
			continue
		}
		r.byName[name] = m
		r.definitions = append(r.definitions, definition)
	}
	return r
}

// approvedAs reports whether the approval of another tool of the server would be that of a tool: it is
// configured for a name that is offered as the same.
func (c *catalog) approvedAs(offer, name string) bool {
	return !slices.Contains(c.o.Approvals, name) &&
		slices.ContainsFunc(c.o.Approvals, func(other string) bool { return offered(c.o.ID, other) == offer })
}

// offered returns the name under which a server's tool is offered. It has only characters that
// all models accept, and ends with a hash if it would be too long.
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
		return nil, tools.Definition{}, errors.New("its input schema is not valid JSON Schema, or refers to another document")
	}
	m := &member{name: t.Name, schema: compiled}
	if a := t.Annotations; a != nil {
		m.repeatable = a.ReadOnlyHint || a.IdempotentHint
	}
	text := cmp.Or(t.Description, t.Title, t.Name)
	return m, tools.Definition{Name: name, Description: tools.Shorten(elicit.Clean(c.speech.redactor.Replace(text)), maxDescription), Parameters: schema}, nil
}

// parameters checks an input schema, and completes it so that all models accept it.
func parameters(schema any) (json.RawMessage, error) {
	if schema == nil {
		schema = map[string]any{} // violates the protocol, but the meaning is clear
	}
	root, ok := schema.(map[string]any)
	if !ok {
		return nil, errors.New("its input schema is not an object")
	}
	if kind, there := root["type"]; there && kind != "object" {
		return nil, errors.New("its input schema does not have the type object")
	}
	root["type"] = "object"
	if _, there := root["properties"]; !there {
		root["properties"] = map[string]any{}
	}
	if depth(root) > maxSchemaDepth {
		return nil, fmt.Errorf("its input schema is nested too deeply (limit %d levels)", maxSchemaDepth)
	}
	raw, err := json.Marshal(root)
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxSchema:
		return nil, fmt.Errorf("its input schema has %d bytes (limit %d)", len(raw), maxSchema)
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

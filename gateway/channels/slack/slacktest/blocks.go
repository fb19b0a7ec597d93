package slacktest

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf16"
)

// length counts characters as JavaScript does.
func length(s string) int { return len(utf16.Encode([]rune(s))) }

// checker checks what an app composes. It notes the first fault only.
type checker struct {
	fault   string
	actions map[string]bool
	blocks  map[string]bool
}

func (c *checker) require(ok bool) {
	if !ok && c.fault == "" {
		c.fault = "invalid_blocks"
	}
}

// only requires that an object has no other fields.
func (c *checker) only(o map[string]any, names ...string) {
	for name := range o {
		known := false
		for _, n := range names {
			known = known || n == name
		}
		c.require(known)
	}
}

// text requires a text object with 1 to most characters.
func (c *checker) text(v any, most int, mrkdwn bool) {
	o, _ := v.(map[string]any)
	c.require(o != nil)
	kind, _ := o["type"].(string)
	s, _ := o["text"].(string)
	c.require(kind == "plain_text" || mrkdwn && kind == "mrkdwn")
	c.require(length(strings.TrimSpace(s)) >= 1 && length(s) <= most)
	if kind == "plain_text" {
		c.only(o, "type", "text", "emoji")
	} else {
		c.only(o, "type", "text", "verbatim")
	}
}

func (c *checker) id(v any, seen map[string]bool) {
	if v == nil {
		return
	}
	s, ok := v.(string)
	c.require(ok && length(s) <= 255 && s != "" && !seen[s])
	seen[s] = true
}

func checkBlocks(raw string) (blocks []map[string]any, fault string) {
	if raw == "" {
		return nil, ""
	}
	// Slack refuses about 13,200 characters: https://github.com/slackapi/bolt-js/issues/2509 (2025).
	const maxAll = 13_172
	if json.Unmarshal([]byte(raw), &blocks) != nil {
		return nil, "invalid_blocks_format"
	}
	if length(raw) > maxAll {
		return nil, "msg_blocks_too_long"
	}
	c := &checker{actions: map[string]bool{}, blocks: map[string]bool{}}
	c.require(len(blocks) <= 50)
	for _, b := range blocks {
		c.block(b, false)
	}
	return blocks, c.fault
}

func (c *checker) block(b map[string]any, inModal bool) {
	c.id(b["block_id"], c.blocks)
	switch b["type"] {
	case "section":
		c.only(b, "type", "block_id", "text")
		c.text(b["text"], 3000, true)
	case "actions":
		c.only(b, "type", "block_id", "elements")
		elements, _ := b["elements"].([]any)
		c.require(len(elements) >= 1 && len(elements) <= 25)
		for _, e := range elements {
			o, _ := e.(map[string]any)
			c.element(o)
		}
	case "input":
		c.require(inModal)
		c.only(b, "type", "block_id", "label", "element")
		c.text(b["label"], 2000, false)
		e, _ := b["element"].(map[string]any)
		c.require(e["type"] == "plain_text_input")
		c.only(e, "type", "action_id", "multiline", "max_length")
		c.id(e["action_id"], c.actions)
		most, ok := e["max_length"].(float64)
		c.require(!ok || most >= 1 && most <= 3000)
	default:
		c.require(false)
	}
}

func (c *checker) element(e map[string]any) {
	c.id(e["action_id"], c.actions)
	switch e["type"] {
	case "button":
		c.only(e, "type", "action_id", "text", "value", "url", "style")
		c.text(e["text"], 75, false)
		value, _ := e["value"].(string)
		c.require(length(value) <= 2000)
		if at, ok := e["url"].(string); ok {
			u, err := url.Parse(at)
			c.require(length(at) <= 3000 && err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "")
		}
	case "static_select":
		c.only(e, "type", "action_id", "placeholder", "options")
		c.text(e["placeholder"], 150, false)
		options, _ := e["options"].([]any)
		c.require(len(options) >= 1 && len(options) <= 100)
		for _, item := range options {
			o, _ := item.(map[string]any)
			c.only(o, "text", "value")
			c.text(o["text"], 75, false)
			value, _ := o["value"].(string)
			c.require(value != "" && length(value) <= 150)
		}
	default:
		c.require(false)
	}
}

func checkView(raw string) (v View, fault string) {
	const maxView = 250 << 10
	var o map[string]any
	if json.Unmarshal([]byte(raw), &o) != nil || json.Unmarshal([]byte(raw), &v) != nil {
		return v, "invalid_arguments"
	}
	if len(raw) > maxView {
		return v, "view_too_large"
	}
	c := &checker{actions: map[string]bool{}, blocks: map[string]bool{}}
	c.only(o, "type", "title", "blocks", "close", "submit", "private_metadata", "callback_id")
	c.require(o["type"] == "modal")
	for _, name := range []string{"title", "close", "submit"} {
		c.text(o[name], 24, false)
	}
	c.require(length(v.PrivateMetadata) <= 3000 && length(v.CallbackID) <= 255 && len(v.Blocks) >= 1 && len(v.Blocks) <= 100)
	for _, b := range v.Blocks {
		c.block(b, true)
	}
	if c.fault != "" {
		return v, "invalid_arguments"
	}
	return v, ""
}

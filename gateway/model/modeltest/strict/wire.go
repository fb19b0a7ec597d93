package strict

import (
	"fmt"
)

// read finds messages and tools in the body of each API.
func (a *asked) read() {
	switch a.wire() {
	case "gemini":
		a.system = either(a.body, "systemInstruction", "system_instruction")
		a.messages = objs(a.body["contents"])
		for _, t := range objs(a.body["tools"]) {
			for i, f := range objs(either(t, "functionDeclarations", "function_declarations")) {
				a.tools = append(a.tools, toolDef{str(f["name"]), f["parameters"], fmt.Sprintf("tools[0].function_declarations[%d]", i)})
			}
		}
	case "messages":
		a.system = a.body["system"]
		a.messages = objs(a.body["messages"])
		for i, t := range objs(a.body["tools"]) {
			a.tools = append(a.tools, toolDef{str(t["name"]), t["input_schema"], fmt.Sprintf("tools.%d.custom", i)})
		}
	case "responses":
		a.system = a.body["instructions"]
		a.messages = objs(a.body["input"])
		for i, t := range objs(a.body["tools"]) {
			a.tools = append(a.tools, toolDef{str(t["name"]), t["parameters"], fmt.Sprintf("tools[%d]", i)})
		}
	default:
		a.messages = objs(a.body["messages"])
		for i, t := range objs(a.body["tools"]) {
			f := obj(t["function"])
			a.tools = append(a.tools, toolDef{str(f["name"]), f["parameters"], fmt.Sprintf("tools[%d].function", i)})
		}
	}
}

// wire is the API that the server supports.
func (a *asked) wire() string {
	switch {
	case a.s.Provider == "gemini":
		return "gemini"
	case a.s.Provider == "anthropic":
		return "messages"
	case a.s.API == "responses":
		return "responses"
	}
	return "chat"
}

func either(n node, a, b string) any {
	if v, there := n[a]; there {
		return v
	}
	return n[b]
}

// log returns the request in the order in which caches and signatures read it, without their
// markers.
func (a *asked) log() []string {
	pieces := []string{canon(without(a.body["tools"], "cache_control"))}
	if a.system != nil {
		pieces = append(pieces, canon(without(blocks(a.system), "cache_control")))
	}
	for _, m := range a.messages {
		m := without(m, "cache_control").(node)
		if c, there := m["content"]; there && a.wire() == "messages" {
			m["content"] = blocks(c)
		}
		pieces = append(pieces, canon(m))
	}
	return pieces
}

// blocks returns a content as a list: a text becomes a list of one.
func blocks(content any) any {
	if s, ok := content.(string); ok {
		return []any{node{"type": "text", "text": s}}
	}
	return content
}

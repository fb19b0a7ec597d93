package openai_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
)

// Heads and tails of calls as servers were reported to send them. unclear marks calls that do not
// run.
func TestHeadsAndTails(t *testing.T) {
	called := end(`"tool_calls"`)
	cases := map[string]struct{ stream, want string }{
		// A proxy of Responses puts each call's head and tail under two indexes
		// (6Kmfi6HP/opencode2api#17, September 2026).
		"tail under the next index": {
			frags(`{"index":0,"id":"call_01","type":"function","function":{"name":"bash","arguments":""}}`, `{"index":1,"id":null,"type":"function","function":{"name":"","arguments":"{\"cmd\":\"free -h\"}"}}`),
			`call=call_01/bash/{"cmd":"free -h"}`,
		},
		"tails under the next index": {
			frags(head(0, "a", "f"), args(1, `{\"x\":`), args(1, `1}`), head(2, "b", "g"), args(3, `{\"y\":2}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2}`,
		},
		// All calls under index 0, one after another: LiteLLM in front of Responses
		// (BerriAI/litellm#21331, February 2026), GPT at OCI (oracle/langchain-oracle#253, July
		// 2026), LMDeploy (InternLM/lmdeploy#3412, April 2025), which repeats the id.
		"all under index 0": {
			frags(head(0, "a", "f"), args(0, `{\"idea\":`), args(0, `1}`), head(0, "b", "g"), args(0, `{\"idea\"`), args(0, `:2}`)),
			`call=a/f/{"idea":1} call=b/g/{"idea":2}`,
		},
		"all under index 0, ids repeated": {
			frags(head(0, "0", "f"), `{"index":0,"id":"0","function":{"name":null,"arguments":"{\"x\":1}"}}`, head(0, "1", "f"), `{"index":0,"id":"1","function":{"name":null,"arguments":"{\"x\":"}}`, `{"index":0,"id":"1","function":{"name":null,"arguments":"2}"}}`),
			`call=0/f/{"x":1} call=1/f/{"x":2}`,
		},
		"all under index 0, ids repeated, interleaved": {
			frags(head(0, "0", "f"), head(0, "1", "g"), `{"index":0,"id":"0","function":{"arguments":"{\"x\":"}}`, `{"index":0,"id":"1","function":{"arguments":"{\"y\":"}}`, `{"index":0,"id":"0","function":{"arguments":"1}"}}`, `{"index":0,"id":"1","function":{"arguments":"2}"}}`),
			`call=0/f/{"x":1} call=1/g/{"y":2}`,
		},
		"all under index 0, one id": { // an engine behind OpenRouter (skye-harris/hass_local_openai_llm#92, July 2026)
			frags(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":0,"id":"a","function":{"name":"g","arguments":"{\"y\":2}"}}`),
			`call=a/f/{} call=a/g/{"y":2}`,
		},
		// Parallel calls, their arguments interleaved by index (continuedev/continue#13223, September 2026).
		"heads first, each index its own": {
			frags(head(0, "a", "f"), head(1, "b", "g"), args(0, `{\"x\"`), args(1, `{\"y\":`), args(0, `:1}`), args(1, `2}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2}`,
		},
		// Kimi reuses the id of one call for parallel ones (HKUDS/nanobot#4473, June 2026).
		"one id for parallel calls": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(1, "a", "f"), args(1, `{\"x\":`), args(1, `2}`)),
			`call=a/f/{"x":1} call=a/f/{"x":2}`,
		},
		"a head repeated under the next index": { // and nothing more of it
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(1, "a", "f")),
			`call=a/f/{"x":1}`,
		},
		"an id again under its own index": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(1, "b", "g"), args(1, `{\"y\":2}`), head(2, "a", "f"), args(2, `{\"x\":`), args(2, `3}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2} call=a/f/{"x":3}`,
		},
		"no id after calls that have one": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(1, "b", "g"), args(1, `{\"y\":2}`), head(2, "", "f"), args(2, `{\"x\":3}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2} call=/f/{"x":3}`,
		},
		// Another id after the first fragment (poolsideai/pool#9, May 2026).
		"another id after the head": {
			frags(head(0, "a", "f"), head(0, "b", ""), `{"index":0,"id":"b","function":{"arguments":"{\"x\":"}}`, `{"index":0,"id":"b","function":{"arguments":"1}"}}`),
			`call=a/f/{"x":1}`,
		},
		"another id after each head": {
			frags(head(0, "a", "f"), `{"index":0,"id":"r1","function":{"arguments":"{\"x\":"}}`, `{"index":0,"id":"r2","function":{"arguments":"1}"}}`, head(0, "r3", ""), head(1, "b", "g"), `{"index":1,"id":"r4","function":{"arguments":"{\"y\":2}"}}`),
			`call=a/f/{"x":1} call=b/g/{"y":2}`,
		},
		// Id and name in separate fragments (pipecat-ai/pipecat#4987, July 2026).
		"id, then name": {
			frags(head(0, "a", ""), head(0, "", "f"), args(0, `{\"x\":1}`), head(1, "b", ""), head(1, "", "g"), args(1, `{\"y\":2}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2}`,
		},

		// The head of a later call under the first one's index (agno#8880, 2026), in all its forms.
		"three calls, each head under the index before": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(0, "b", "g"), args(1, `{\"y\":`), args(1, `2}`), head(1, "c", "h"), args(2, `{\"z\":3}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2} call=c/h/{"z":3}`,
		},
		"three calls, all heads under index 0": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(0, "b", "g"), args(1, `{\"y\":2}`), head(0, "c", "h"), args(2, `{\"z\":3}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2} call=c/h/{"z":3}`,
		},
		"the id of the tail is its head's": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(0, "b", "g"), `{"index":1,"id":"b","function":{"arguments":"{\"y\":"}}`, args(1, `2}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2}`,
		},
		"head and tail have id and name": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(0, "b", "g"), `{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\":"}}`, `{"index":1,"id":"b","function":{"name":"g","arguments":"2}"}}`),
			`call=a/f/{"x":1} call=b/g/{"y":2}`,
		},
		"the tail repeats the name": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(0, "b", "g"), `{"index":1,"function":{"name":"g","arguments":"{\"y\":"}}`, `{"index":1,"function":{"name":"g","arguments":"2}"}}`),
			`call=a/f/{"x":1} call=b/g/{"y":2}`,
		},
		"head of a name": {
			frags(head(0, "", "f"), args(0, `{\"x\":1}`), head(0, "", "g"), args(1, `{\"y\":2}`)),
			`call=/f/{"x":1} call=/g/{"y":2}`,
		},
		"head of the same name": {
			frags(head(0, "", "f"), args(0, `{\"x\":1}`), head(0, "", "f"), args(1, `{\"x\":`), args(1, `2}`)),
			`call=/f/{"x":1} call=/f/{"x":2}`,
		},
		"head of the same name, tail under the same index": {
			frags(head(0, "", "f"), args(0, `{\"x\":1}`), head(0, "", "f"), args(0, `{\"x\":`), args(0, `2}`)),
			`call=/f/{"x":1} call=/f/{"x":2}`,
		},
		"head of an id, then of a name": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(0, "b", ""), head(0, "", "f"), args(1, `{\"x\":2}`)),
			`call=a/f/{"x":1} call=b/f/{"x":2}`,
		},
		"head of an id, name under the next index": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(0, "b", ""), `{"index":1,"function":{"name":"f","arguments":"{\"x\":2}"}}`),
			`call=a/f/{"x":1} call=b/f/{"x":2}`,
		},
		"head of an id alone": { // a call whose name never arrives is a call of no tool
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), head(0, "b", ""), args(1, `{\"y\":2}`)),
			`call=a/f/{"x":1} call=b//{"y":2}`,
		},
		"a name repeated at the end": {
			frags(`{"index":0,"function":{"name":"f","arguments":"{\"x\":"}}`, `{"index":0,"function":{"name":"f","arguments":"1}"}}`, head(0, "", "f")),
			`call=/f/{"x":1}`,
		},
		"two heads first, their tails interleaved": {
			frags(head(0, "a", "f"), head(0, "b", "g"), args(0, `{\"x\":`), args(1, `{\"y\":`), args(1, `2}`), args(0, `1}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2}`,
		},
		"three heads first, each under the index before": {
			frags(head(0, "a", "f"), head(0, "b", "g"), head(1, "c", "h"), args(2, `{\"z\":`), args(1, `{\"y\":2}`), args(2, `3}`), args(0, `{\"x\":1}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2} call=c/h/{"z":3}`,
		},

		"a whole call under index 0, then one under its own": {
			frags(head(0, "a", "f"), args(0, `{\"x\":1}`), `{"index":0,"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}}`, head(1, "c", "h"), args(1, `{\"z\":3}`)),
			`call=a/f/{"x":1} call=b/g/{"y":2} call=c/h/{"z":3}`,
		},

		// A tail that may belong to two calls belongs to neither, and neither runs.
		"two heads, one tail under an index of neither": {
			frags(head(0, "a", "f"), head(1, "b", "g"), args(2, `{\"x\":1}`)), `call=a/f/unclear call=b/g/unclear`,
		},
		"two heads, two tails under indexes of neither": {
			frags(head(0, "a", "f"), head(1, "b", "g"), args(2, `{\"x\":1}`), args(3, `{\"y\":2}`)), `call=a/f/unclear call=b/g/unclear`,
		},
		"two heads under an index, one tail": {
			frags(head(0, "a", "f"), head(0, "b", "g"), args(0, `{\"x\":1}`)), `call=a/f/unclear call=b/g/unclear`,
		},
		"two heads under an index, the second one's tail": {
			frags(head(0, "a", "f"), head(0, "b", "g"), args(1, `{\"y\":2}`)), `call=a/f/unclear call=b/g/unclear`,
		},
		"two heads, three tails": {
			frags(head(0, "a", "f"), head(0, "b", "g"), args(0, `{\"x\":1}`), args(1, `{\"y\":2}`), args(7, `{\"z\":3}`)), `call=a/f/unclear call=b/g/unclear`,
		},
		"indexes that are not places": {
			frags(`{"index":5,"id":"a","function":{"name":"f","arguments":"{}"}}`, head(1, "b", "g"), head(1, "c", "h"), args(1, `{\"y\":2}`), args(2, `{\"z\":3}`)), `call=b/g/unclear call=c/h/unclear call=a/f/{}`,
		},
		"two heads without index, one tail": {
			frags(`{"id":"a","function":{"name":"f"}}`, `{"id":"b","function":{"name":"g"}}`, `{"function":{"arguments":"{\"x\":1}"}}`), `call=a/f/unclear call=b/g/unclear`,
		},
		"a head amid the arguments of its index": {
			frags(head(0, "a", "f"), args(0, `{\"x\":`), head(0, "b", "g"), args(0, `{\"y\":1}`)), `call=a/f/unclear call=b/g/unclear`,
		},
		"the index of the next call, in turn": { // detected at the last one
			frags(head(0, "a", "f"), head(1, "b", "g"), args(1, `{\"x\":1}`), args(2, `{\"y\":2}`)), `call=a/f/unclear call=b/g/unclear`,
		},
		"a tail without a head": {
			frags(head(0, "a", "f"), args(0, `{}`), args(1, `{\"y\":2}`)), `call=a/f/unclear`,
		},
		"no arguments, then a head without name": {
			frags(head(0, "a", "f"), head(0, "b", ""), args(1, `{\"y\":2}`)), `call=a/f/unclear call=b//unclear`,
		},
		"an object after {}, of another id": {
			frags(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":0,"id":"b","function":{"arguments":"{\"y\":2}"}}`), `call=a/f/unclear call=b//{"y":2}`,
		},
	}
	for name, c := range cases {
		c.stream += data(called)
		c.want = `text="" ` + strings.ReplaceAll(c.want, "unclear", tools.UnclearArguments) + " finish=tool_calls"
		cases[name] = c
	}
	streams(t, cases)
}

// frags are fragments, each in a chunk of its own.
func frags(list ...string) (s string) {
	for _, f := range list {
		s += data(frag(f))
	}
	return s
}

// head and args are fragments of a call; args are escaped for a JSON string.
func head(index int, id, name string) string { return fragmentOf(index, id, name, "") }
func args(index int, args string) string     { return fragmentOf(index, "", "", args) }

func fragmentOf(index int, id, name, args string) string {
	s := `{"index":` + strconv.Itoa(index)
	if id != "" {
		s += `,"id":"` + id + `","type":"function"`
	}
	s += `,"function":{"arguments":"` + args + `"`
	if name != "" {
		s += `,"name":"` + name + `"`
	}
	return s + "}}"
}

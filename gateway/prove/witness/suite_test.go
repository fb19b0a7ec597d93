package witness

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// exchange is one that the suite records: see gateway/prove/providers.
type exchange struct {
	Kind, Provider, API string
	Path                string
	Request             json.RawMessage
	Status              int
	Stream              string
	Ours                *reading
}

// reading is the result that a client read from a stream, ours or an SDK's.
type reading struct {
	Text, Thinking string
	Calls          []call
	Finish         string
	Usage          *usage
}

type call struct{ ID, Name, Arguments string }

type usage struct{ InputTokens, CachedInputTokens, CacheWriteTokens, OutputTokens, ReasoningTokens int64 }

// suite returns what gateway/prove/providers sends and receives. ASKGATE_RECORD names the file of a
// recorded run; without it the suite runs here.
func suite(t *testing.T) []exchange {
	t.Helper()
	all, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("nothing was recorded")
	}
	return all
}

var recorded = sync.OnceValues(func() ([]exchange, error) {
	path := os.Getenv("ASKGATE_RECORD")
	if path == "" {
		dir, err := os.MkdirTemp("", "witness")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "suite.jsonl")
		run := exec.Command("go", "test", "-count=1", "./gateway/prove/providers")
		run.Dir = filepath.Join("..", "..", "..")
		run.Env = append(os.Environ(), "ASKGATE_RECORD="+path)
		if out, err := run.CombinedOutput(); err != nil {
			return nil, errors.Join(err, errors.New(string(out[max(0, len(out)-4000):])))
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []exchange
	for d := json.NewDecoder(bufio.NewReader(f)); ; {
		var e exchange
		switch err := d.Decode(&e); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, e)
	}
})

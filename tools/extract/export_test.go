package extract

import (
	"bytes"
	"os"
	"time"
)

// Within makes a reader whose files have a time of d.
func Within(d time.Duration) *Reader {
	r := New()
	r.time = d
	return r
}

// Formats of children of tests.
const (
	Greedy  Format = 'G' // takes memory without end
	Endless Format = 'E'
	Deadly  Format = 'D' // ends the child
	Curious Format = 'C' // returns the child's environment and files
	Unready Format = 'U' // ends the child before it begins
)

func init() {
	formats[Greedy] = func(_ []byte, ready func()) (Text, error) {
		ready()
		for all := [][]byte{}; ; {
			all = append(all, make([]byte, 64<<20))
		}
	}
	formats[Endless] = func(_ []byte, ready func()) (Text, error) {
		ready()
		for { // select {} would be a deadlock, which ends the child
			time.Sleep(time.Hour)
		}
	}
	formats[Deadly] = func(_ []byte, ready func()) (Text, error) {
		ready()
		os.Exit(3)
		return Text{}, nil
	}
	formats[Unready] = func([]byte, func()) (Text, error) { return Text{}, errEngine }
	formats[Curious] = func(data []byte, ready func()) (Text, error) {
		ready()
		dir, _ := os.Getwd()
		var b bytes.Buffer
		for _, e := range os.Environ() {
			b.WriteString(e + " ")
		}
		return Text{Title: dir, Parts: []Part{{Text: string(data)}, {Text: b.String()}}}, nil
	}
}

// ReadDOCX reads a file in this process.
func ReadDOCX(data []byte) (Text, error) { return readDOCX(data, func() {}) }

// Decode reads and decodes a frame of a child.
func Decode(data []byte) (Text, error) {
	kind, content, err := readFrame(bytes.NewReader(data), maxFrame)
	if err != nil {
		return Text{}, err
	}
	return decode(kind, content)
}

// Idle returns the processes that wait for files.
func (r *Reader) Idle() (ids []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.idle {
		ids = append(ids, p.cmd.Process.Pid)
	}
	return ids
}

// Sensible is the rule for titles.
var Sensible = sensible

// Reading returns how many files are read.
func (r *Reader) Reading() int { return len(r.places) }

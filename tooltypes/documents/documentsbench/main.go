// Command documentsbench measures a tool of type documents: how long it takes to index many texts,
// how long a search takes, how much memory that needs, how soon an edit is found during a hundred
// searches a second, and how long it takes to rebuild a damaged index.
//
//	go run ./tooltypes/documents/documentsbench -n 12237
//
// With -facts, the documents have fields and versions, and searches also have filters and days. With
// -statutes, it measures whether questions in words and citations find their passage in generated
// statutes of four languages. With -corpus, it does so in a folder of texts, with questions from a file:
//
//	go run ./tooltypes/documents/documentsbench -statutes 2000 -languages es,de,en,fr
//	go run ./tooltypes/documents/documentsbench -corpus gesetze -questions tooltypes/documents/documentsbench/testdata/gesetze.tsv -languages de
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents"
)

const (
	searches = 1000
	rate     = 100 // searches a second while a document is edited
)

// speaks are the languages of the tool.
var speaks []string

func main() {
	n := flag.Int("n", 12_237, "how many documents")
	laws := flag.Int("statutes", 0, "instead, find passages by questions and citations in this many generated statutes")
	seed := flag.Uint64("seed", 1, "of the statutes")
	texts := flag.String("corpus", "", "instead, find passages in this folder")
	file := flag.String("questions", "", "the questions for -corpus: one a line, a tab, path#anchor")
	same := flag.String("synonyms", "", "a file of synonyms for -corpus")
	flag.BoolVar(&facts, "facts", false, "give documents front matter, and measure searches with filters and days as well")
	flag.Func("languages", "of the texts, as es,de (none)", func(list string) error {
		speaks = strings.Split(list, ",")
		return nil
	})
	verbose := flag.Bool("v", false, "list the questions whose passage was not first")
	flag.Parse()
	var err error
	switch {
	case *texts != "":
		err = corpus(*texts, *file, *same, *verbose, os.Stdout)
	case *laws > 0:
		err = questions(*laws, *seed, *verbose, os.Stdout)
	default:
		err = measure(*n, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(n int, out io.Writer) error {
	dir, err := os.MkdirTemp("", "documentsbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "laws")
	m := newMade()
	size, err := m.write(folder, n)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "documents      %d, %.1f MB\n", n, float64(size)/1e6)
	began := time.Now()
	tool, end, err := indexed(dir, folder, n)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "indexed        in %.1f s (%.1f s of the processor)\n", time.Since(began).Seconds(), used().Seconds())
	files, err := filepath.Glob(filepath.Join(dir, "cache", "*.db"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("found %d indexes instead of one: %w", len(files), err)
	}
	if info, err := os.Stat(files[0]); err == nil {
		fmt.Fprintf(out, "index          %.1f MB\n", float64(info.Size())/1e6)
	}
	fmt.Fprintf(out, "memory         %s at peak\n", peak())
	err = errors.Join(timed(m, tool, "search", map[string]any{}, out), narrowed(m, tool, out), edit(m, tool, folder, out))
	end()
	if err != nil {
		return err
	}
	if err := damage(files[0]); err != nil {
		return err
	}
	began = time.Now()
	_, end, err = indexed(dir, folder, n)
	if err == nil {
		end()
		fmt.Fprintf(out, "damaged        rebuilt in %.1f s\n", time.Since(began).Seconds())
	}
	return err
}

// indexed opens the folder, and waits until all of it is indexed.
func indexed(dir, folder string, n int) (tool *documents.Tool, end func(), err error) {
	return indexedWith(dir, folder, n, "")
}

// indexedWith is indexed with a file of synonyms. If n is 0, the folder has any number of documents.
func indexedWith(dir, folder string, n int, synonyms string) (tool *documents.Tool, end func(), err error) {
	shelf := documents.NewShelf(slog.New(slog.DiscardHandler))
	shelf.Dir = filepath.Join(dir, "cache")
	o := documents.Options{ID: "laws", Folder: config.Folder{Path: folder}, Include: []string{"**/*.md"}, Link: "https://x.example/{path}#{anchor}", Languages: speaks, Synonyms: config.File{Path: synonyms}}
	know(&o)
	tool, err = shelf.Tool("law", o)
	if err != nil {
		return nil, nil, err
	}
	for {
		if st := shelf.Statuses()[0]; st.Ready && (n == 0 || st.Documents == n) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return tool, func() {
		_ = tool.Close() // always returns nil
		shelf.Wait(context.Background())
	}, nil
}

// damage overwrites all of the index except its beginning.
func damage(file string) error {
	const whole = 8192
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.WriteAt(bytes.Repeat([]byte{0xab}, int(info.Size())-whole), whole)
	return err
}

// find makes one search, and returns its result.
func find(tool *documents.Tool, query string) (string, error) {
	return findIn(tool, map[string]any{"query": query})
}

// findIn makes a search with these arguments.
func findIn(tool *documents.Tool, args map[string]any) (string, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	result, err := tool.Run(context.Background(), tools.Call{Name: "laws__search", Arguments: string(raw)})
	return result.Result, err
}

// query returns one or two words; each tenth query is misspelled.
func (m *made) query(i int) string {
	q := m.word()
	if i%10 == 0 && len(q) > 5 {
		return q[:len(q)/2] + "x" + q[len(q)/2:]
	}
	if i%3 != 0 {
		q += " " + m.word()
	}
	return strings.ToValidUTF8(q, "")
}

// timed measures searches for words with these arguments.
func timed(m *made, tool *documents.Tool, name string, args map[string]any, out io.Writer) error {
	var took, cpu []time.Duration
	for i := range searches {
		args["query"] = m.query(i)
		began, before := time.Now(), used()
		if _, err := findIn(tool, args); err != nil {
			return err
		}
		took, cpu = append(took, time.Since(began)), append(cpu, used()-before)
	}
	fmt.Fprintf(out, "%-14s p50 %.1f ms, p99 %.1f ms (of the processor: %.1f, %.1f)\n", name, at(took, 50), at(took, 99), at(cpu, 50), at(cpu, 99))
	return nil
}

// at returns a percentile in milliseconds.
func at(list []time.Duration, percent int) float64 {
	slices.Sort(list)
	return float64(list[len(list)*percent/100]) / 1e6
}

// edit measures how soon an edit is found while searches run.
func edit(m *made, tool *documents.Tool, folder string, out io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex
	var took []time.Duration
	var running sync.WaitGroup
	queries := make([]string, searches)
	for i := range queries {
		queries[i] = m.query(i)
	}
	running.Go(func() {
		tick := time.NewTicker(time.Second / rate)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			running.Go(func() {
				began := time.Now()
				if _, err := find(tool, queries[i%len(queries)]); err == nil {
					mu.Lock()
					defer mu.Unlock()
					took = append(took, time.Since(began))
				}
			})
		}
	})
	var worst time.Duration
	for i := range 5 {
		word := fmt.Sprintf("neuigkeit%d", i)
		began := time.Now()
		if err := os.WriteFile(filepath.Join(folder, "0000", "gesetz-7.md"), []byte("# Gesetz 7\n\nEine "+word+"."), 0o600); err != nil {
			return err
		}
		for {
			if result, err := find(tool, word); err != nil {
				return err
			} else if strings.Contains(result, word) {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		worst = max(worst, time.Since(began))
	}
	cancel()
	running.Wait()
	fmt.Fprintf(out, "edits          5, each found within %.1f s, while %d searches ran: p50 %.1f ms, p99 %.1f ms\n", worst.Seconds(), len(took), at(took, 50), at(took, 99))
	return nil
}

// peak returns the most memory that the process had; on systems that do not report it, the memory
// that Go has obtained.
func peak() string {
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		for line := range strings.Lines(string(status)) {
			if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				return strings.TrimSpace(kb)
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprintf("%d kB", m.Sys>>10)
}

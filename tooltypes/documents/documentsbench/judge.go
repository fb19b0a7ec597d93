package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents"
)

// judgement counts how well questions found what they asked for.
type judgement struct {
	name       string
	asked      int
	first, ten int
	missed     []string
	took       []time.Duration
}

// judge asks, and looks where the right passages are.
func judge(name string, tool *documents.Tool, list []asked, out io.Writer) (*judgement, error) {
	j := &judgement{name: name}
	for _, a := range list {
		before := used()
		links, err := linksOf(tool, a.query)
		if err != nil {
			return nil, err
		}
		j.took = append(j.took, used()-before)
		at := place(links, a.want)
		j.asked++
		if at == 1 {
			j.first++
		} else {
			j.missed = append(j.missed, fmt.Sprintf("%d  %s\n      %s\n      %s", at, a.query, a.want, strings.Join(links[:min(3, len(links))], "\n      ")))
		}
		if at > 0 {
			j.ten++
		}
	}
	fmt.Fprintf(out, "%-20s %d asked, right passage first %.1f %%, among ten %.1f %%, of the processor: p50 %.1f ms, p99 %.1f ms\n", name, j.asked, percent(j.first, j.asked), percent(j.ten, j.asked), at(j.took, 50), at(j.took, 99))
	return j, nil
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// linksOf returns the links of the first page of a search.
func linksOf(tool *documents.Tool, query string) (links []string, err error) {
	raw, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return nil, err
	}
	result, err := tool.Run(context.Background(), tools.Call{Name: "laws__search", Arguments: string(raw)})
	if err != nil {
		return nil, err
	}
	var page struct{ Items []struct{ Link string } }
	if err := json.Unmarshal([]byte(result.Result), &page); err != nil {
		return nil, err
	}
	for _, item := range page.Items {
		link, err := url.PathUnescape(item.Link)
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	return links, nil
}

// questions judges how well questions and citations find what they ask for, in generated statutes.
func questions(n int, seed uint64, verbose bool, out io.Writer) error {
	dir, err := os.MkdirTemp("", "documentsbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "laws")
	s := newStatutes(n, seed)
	files, err := s.write(folder)
	if err != nil {
		return err
	}
	synonyms := filepath.Join(dir, "synonyms.txt")
	raw, err := statutesFiles.ReadFile("statutes/synonyms.txt")
	if err == nil {
		err = os.WriteFile(synonyms, raw, 0o600)
	}
	if err != nil {
		return err
	}
	return asking(dir, folder, files, synonyms, s.questions(400), s.citations(400), verbose, out)
}

// corpus judges the same in a folder of texts. The file of questions has one a line, with the link
// of its passage (path#anchor) behind a tab; those of citations begin with "cite ".
func corpus(folder, file, synonyms string, verbose bool, out io.Writer) error {
	dir, err := os.MkdirTemp("", "documentsbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var words, cited []asked
	for line := range strings.Lines(string(raw)) {
		query, want, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		a := asked{query, "https://x.example/" + want}
		if after, is := strings.CutPrefix(query, "cite "); is {
			a.query = after
			cited = append(cited, a)
		} else {
			words = append(words, a)
		}
	}
	return asking(dir, folder, 0, synonyms, words, cited, verbose, out)
}

func asking(dir, folder string, files int, synonyms string, words, cited []asked, verbose bool, out io.Writer) error {
	tool, end, err := indexedWith(dir, folder, files, synonyms)
	if err != nil {
		return err
	}
	defer end()
	a, errA := judge("questions in words", tool, words, out)
	b, errB := judge("citations", tool, cited, out)
	if verbose && a != nil && b != nil {
		for _, m := range append(a.missed, b.missed...) {
			fmt.Fprintln(out, m)
		}
	}
	return errors.Join(errA, errB)
}

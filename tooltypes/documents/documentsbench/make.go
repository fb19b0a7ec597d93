package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// syllables form words that look like those of a law, with as much variety as a language has.
var syllables = strings.Fields("ver trag recht ge setz miet en ung be stand auf hebung kün di gung frist zah lung an spruch haf tung ord nung satz ab teil buch er klä wil le person sache ding besitz eigen tum er be last schuld leis tung gläu bi ger nach weis form schrift münd lich gericht klage urteil voll macht ver treter über gabe rück tritt min de rung wand lung män gel ge währ")

// made generates texts, the same ones in each run.
type made struct {
	random *rand.Rand
	words  []string
}

func newMade() *made {
	m := &made{random: rand.New(rand.NewPCG(18, 12237))}
	seen := map[string]bool{}
	for len(m.words) < 40_000 {
		var b strings.Builder
		for range 1 + m.random.IntN(4) {
			b.WriteString(syllables[m.random.IntN(len(syllables))])
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			m.words = append(m.words, w)
		}
	}
	return m
}

// word returns a random word. Words are as frequent or rare as in a language (Zipf).
func (m *made) word() string {
	u := m.random.Float64()
	return m.words[int(u*u*u*u*float64(len(m.words)))]
}

func (m *made) sentence(b *strings.Builder, n int) {
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(m.word())
	}
	b.WriteString(".\n")
}

// document returns a law with some sections.
func (m *made) document(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Gesetz %d über %s und %s\n\n", n, m.word(), m.word())
	for s := range 2 + m.random.IntN(4) {
		fmt.Fprintf(&b, "## § %d %s\n\n", s+1, m.word())
		for range 1 + m.random.IntN(3) {
			for range 1 + m.random.IntN(4) {
				m.sentence(&b, 8+m.random.IntN(14))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// write writes n documents into subfolders of a folder, a hundred into each.
func (m *made) write(dir string, n int) (bytes int64, err error) {
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("%04d", i/100), fmt.Sprintf("gesetz-%d.md", i))
		if i%100 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return bytes, err
			}
		}
		text := front(i) + m.document(i)
		bytes += int64(len(text))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return bytes, err
		}
	}
	return bytes, nil
}

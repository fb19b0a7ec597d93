package index

import (
	"encoding/json"
	"slices"
	"strings"
)

// The weights of a passage, as in BM25F, over its title and its text. The numbers are those that found
// the most in the statutes of one seed (documentsbench -statutes 2000 -seed 1). They find about as much
// in those of other seeds.
const (
	often     = 1.2  // the higher, the more further occurrences of a word count
	lengthy   = 0.75 // how much the length of a text counts
	titled    = 2    // occurrences in the text that one in the title is worth
	inTitle   = 0.3  // what an occurrence in the title adds, as part of the weight of the word
	adjacent  = 0.5  // what two neighbours add, as part of the weight of the lighter one
	nearby    = 12   // words, within which neighbours may stand
	covers    = 0.6  // what having all words adds
	aboutAs   = 0.9  // part of the best score from which on a passage matches about equally well
	leastPart = 0.6  // part of the weight of all words that such a passage must have
)

// occurrence is where a word stands.
type occurrence struct {
	slot, at int
}

// candidate is a passage that is weighed.
type candidate struct {
	id     int64
	title  []float64 // occurrences, by slot
	text   []float64
	near   float64
	length float64
	score  float64
	part   float64 // the weight of the words that it has, as part of that of all words
}

// rank adds passages, the best first.
func (s *search) rank(slots []slot, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	list, err := s.candidates(slots, ids)
	if err != nil {
		return err
	}
	average := 0.0
	for _, c := range list {
		average += c.length / float64(len(list))
	}
	all := together(slots, ^uint32(0))
	for _, c := range list {
		c.weigh(slots, average, all)
	}
	slices.SortFunc(list, func(a, b *candidate) int {
		if d := compare(b.score, a.score); d != 0 {
			return d
		}
		return int(a.id - b.id)
	})
	counts := len(s.found) == 0
	for _, c := range list {
		if counts && s.best == len(s.found) && c.score >= aboutAs*list[0].score && c.part >= leastPart {
			s.best++
		}
		s.add(c.id)
	}
	return nil
}

func (c *candidate) weigh(slots []slot, average, all float64) {
	for i, sl := range slots {
		tf := c.text[i]/(1-lengthy+lengthy*c.length/max(average, 1)) + titled*c.title[i]
		if tf == 0 {
			continue
		}
		c.part += sl.weight * min(1, max(c.text[i], c.title[i])) / all
		c.score += sl.weight * (tf*(often+1)/(tf+often) + inTitle*c.title[i])
	}
	c.score = (c.score + c.near) * (1 - covers + covers*c.part)
}

// candidates reads passages, and finds the words in them.
func (s *search) candidates(slots []slot, ids []int64) (list []*candidate, err error) {
	raw, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := s.tx.QueryContext(s.ctx, `SELECT id, title, text FROM passages WHERE id IN (SELECT value FROM json_each(?))`, string(raw))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	r := newReading(slots)
	for rows.Next() {
		var title, text string
		c := &candidate{title: make([]float64, len(slots)), text: make([]float64, len(slots))}
		if err := rows.Scan(&c.id, &title, &text); err != nil {
			return nil, err
		}
		r.read(title, c.title)
		c.near = r.near()
		c.length = float64(r.read(text, c.text))
		c.near = max(c.near, r.near())
		for i := range c.title {
			c.title[i] = min(1, c.title[i])
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// reading finds the words of a question in texts.
type reading struct {
	slots []slot
	terms map[string][]standing
	runs  []int // slots of scripts without spaces
	w     writer
	words []string
	hits  []occurrence
	best  []float64 // how near a slot stands to the next, from 0 to 1
}

// standing is what a word of a text stands for.
type standing struct {
	slot   int
	weight float64
	more   []string // the words that follow
}

func newReading(slots []slot) *reading {
	r := &reading{slots: slots, terms: map[string][]standing{}, best: make([]float64, len(slots)), w: writer{known: map[string]string{}}}
	for i, sl := range slots {
		if sl.run {
			r.runs = append(r.runs, i)
			continue
		}
		r.terms[sl.text] = append(r.terms[sl.text], standing{i, 1, nil})
		for _, f := range sl.forms {
			r.terms[f.term[0]] = append(r.terms[f.term[0]], standing{i, f.weight, f.term[1:]})
		}
	}
	return r
}

// read counts the occurrences of each slot in a text. It returns how many words the text has.
func (r *reading) read(text string, counts []float64) int {
	const most = 4000 // occurrences
	r.words, r.hits = r.words[:0], r.hits[:0]
	piecesBy(text, r.w.fold, func(p piece) bool {
		r.words = append(r.words, p.folded)
		if p.run {
			for _, i := range r.runs {
				if strings.Contains(p.folded, r.slots[i].text) {
					counts[i]++
				}
			}
		}
		return true
	})
	for at, word := range r.words {
		for _, st := range r.terms[word] {
			if len(r.hits) == most {
				return len(r.words)
			}
			if n := len(st.more); n > 0 && (at+1+n > len(r.words) || !slices.Equal(r.words[at+1:at+1+n], st.more)) {
				continue
			}
			counts[st.slot] += st.weight
			r.hits = append(r.hits, occurrence{st.slot, at})
		}
	}
	return len(r.words)
}

// near returns what words that stand together add: each with the next word of the question, and the most
// if they stand as they do there.
func (r *reading) near() (sum float64) {
	clear(r.best)
	for i, h := range r.hits {
		for _, other := range r.hits[i+1:] {
			far := other.at - h.at
			if far > nearby {
				break
			}
			slot, order := h.slot, 1.0
			switch other.slot - h.slot {
			case 1:
			case -1:
				slot, order = other.slot, 0.7
			default:
				continue
			}
			asked := r.slots[slot+1].at - r.slots[slot].at
			if far == 0 {
				continue
			}
			if off := far - asked; off > 0 {
				order /= 1 + float64(off)/2
			}
			r.best[slot] = max(r.best[slot], order)
		}
	}
	for i, near := range r.best[:max(0, len(r.best)-1)] {
		sum += adjacent * near * min(r.slots[i].weight, r.slots[i+1].weight)
	}
	return sum
}

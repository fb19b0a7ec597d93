package pattern

import "sort"

// machine runs a program on a text of minterms like irregexp and counts the steps, to verify the bound.
type machine struct {
	p         *program
	registers []int32
	stack     []frame
	maxStack  int // a run that needs more frames counts as over the limit
}

// matchStack is the memory limit of a run, in frames of 8 bytes.
const matchStack = 1 << 22

// frame is a choice to return to (pc >= 0: continue there at position value), or a register to restore (pc < 0: register
// ^pc gets value).
type frame struct{ pc, value int32 }

func newMachine(p *program) *machine {
	return &machine{p: p, registers: make([]int32, p.registers), maxStack: matchStack}
}

func (m *machine) set(r, value int32) {
	m.stack = append(m.stack, frame{^r, m.registers[r]})
	m.registers[r] = value
}

// run matches a text, given as minterms and as characters, which back-references compare. It returns whether it matched
// and the number of steps; over means that it was stopped at the limit.
func (m *machine) run(text []uint16, raw []rune, limit int) (matched bool, steps int, over bool) {
	for i := range m.registers {
		m.registers[i] = -1
	}
	m.stack = m.stack[:0]
	code, sets := m.p.code, m.p.sets
	pc, at, end := int32(0), int32(0), int32(len(text))
	for {
		if steps++; steps > limit || len(m.stack) > m.maxStack {
			return false, steps, true
		}
		i := &code[pc]
		switch i.op {
		case opSet:
			if at < end && sets[i.x][text[at]] {
				at++
				pc++
				continue
			}
		case opSetBack:
			if at > 0 && sets[i.x][text[at-1]] {
				at--
				pc++
				continue
			}
		case opSplit:
			m.stack = append(m.stack, frame{i.y, at})
			pc = i.x
			continue
		case opJump:
			pc = i.x
			continue
		case opSave:
			m.set(i.x, at)
			pc++
			continue
		case opZero:
			m.set(i.x, 0)
			pc++
			continue
		case opClear:
			for r := i.x; r < i.y; r++ {
				if m.registers[r] >= 0 {
					m.set(r, -1)
				}
			}
			pc++
			continue
		case opCount:
			m.set(i.x, m.registers[i.x]+1)
			pc++
			continue
		case opAtLeast, opAtMost:
			pc++
			if m.registers[i.x] >= i.y {
				pc++
			}
			continue
		case opMoved:
			if m.registers[i.x] != at || i.y >= 0 && m.registers[i.y] <= i.z {
				pc++
				continue
			}
		case opAssert:
			if m.holds(byte(i.x), text, at) {
				pc++
				continue
			}
		case opRef, opRefBack:
			from, to := m.registers[2*i.x], m.registers[2*i.x+1]
			if from < 0 || to < 0 || from >= to {
				pc++
				continue
			}
			n := to - from
			start := at
			if i.op == opRefBack {
				start -= n
			}
			if start >= 0 && start+n <= end {
				same := int32(0)
				for same < n && raw[from+same] == raw[start+same] {
					same++
				}
				steps += refStep * int(same)
				if same == n {
					at = start
					if i.op == opRef {
						at += n
					}
					pc++
					continue
				}
			}
		case opLook:
			m.set(i.x, int32(len(m.stack)))
			m.set(i.y, at)
			m.stack = append(m.stack, frame{i.z, at})
			// the height to return to is below the choice just pushed
			m.registers[i.x] = int32(len(m.stack) - 1)
			pc++
			continue
		case opLookEnd:
			height := m.registers[i.x]
			at = m.registers[i.y]
			// choices are dropped, but captures set inside must still be undone when backtracking
			keep := m.stack[:height]
			for _, f := range m.stack[height:] {
				if f.pc < 0 {
					keep = append(keep, f)
				}
			}
			m.stack = keep
			pc++
			continue
		case opLookFail:
			height := int(m.registers[i.x])
			for len(m.stack) > height {
				f := m.stack[len(m.stack)-1]
				m.stack = m.stack[:len(m.stack)-1]
				if f.pc < 0 {
					m.registers[^f.pc] = f.value
				}
			}
		case opAccept:
			return true, steps, false
		}
		// failure: back to the last choice
		for {
			n := len(m.stack) - 1
			if n < 0 {
				return false, steps, false
			}
			f := m.stack[n]
			m.stack = m.stack[:n]
			if f.pc >= 0 {
				pc, at = f.pc, f.value
				break
			}
			m.registers[^f.pc] = f.value
		}
	}
}

func (m *machine) holds(assert byte, text []uint16, at int32) bool {
	switch assert {
	case '^':
		return at == 0
	case '$':
		return int(at) == len(text)
	}
	before := at > 0 && m.p.word[text[at-1]]
	after := int(at) < len(text) && m.p.word[text[at]]
	return (before != after) == (assert == 'b')
}

func (a *alphabet) symbols(text []rune) []uint16 {
	out := make([]uint16, len(text))
	for i, r := range text {
		out[i] = a.symbol(r)
	}
	return out
}

// symbol returns the minterm of a character.
func (a *alphabet) symbol(r rune) uint16 {
	i := sort.Search(len(a.borders), func(i int) bool { return a.borders[i].from > r }) - 1
	return a.borders[i].symbol
}

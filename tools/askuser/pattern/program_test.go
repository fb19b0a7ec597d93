package pattern

// opcode is an instruction of the machine. The instructions are those of V8's irregexp: nothing is merged, shared or made
// atomic, because the work that a smarter engine would save is the work that makes a browser slow.
type opcode uint8

const (
	opSet      opcode = iota // one character of set x, forwards
	opSetBack                // the same backwards, inside a lookbehind
	opSplit                  // continue at x; on failure at y
	opJump                   // continue at x
	opSave                   // register x = position
	opZero                   // register x = 0
	opClear                  // registers x <= r < y = -1: captures reset before an iteration
	opCount                  // register x += 1
	opAtLeast                // register x < y: next instruction, else skip one
	opAtMost                 // register x < y: next instruction, else skip one
	opMoved                  // fail when position == register x and register y (a counter, or -1) is past minimum z
	opAssert                 // fail unless assertion x is met
	opRef                    // the text of capture x, forwards
	opRefBack                // the same backwards
	opLook                   // register x = height of the stack, register y = position; on failure go on at z
	opLookEnd                // forget the choices since opLook, position = register y
	opLookFail               // the body of a negative look matched: undo everything since opLook, and fail
	opAccept
	opFail
)

// instr is an instruction. The opcode defines the meaning of x, y and z.
type instr struct {
	op      opcode
	x, y, z int32
}

// program is a compiled pattern for the whole-answer form ^(?:source)$.
type program struct {
	code      []instr
	registers int
	sets      [][]bool
	word      []bool
}

type compiler struct {
	code      []instr
	registers int32
	alphabet  *alphabet
	keep      map[int]bool // capture groups that a back-reference reads
	backward  bool
}

// assemble translates the tree for an alphabet of minterms.
func assemble(t *tree, a *alphabet) *program {
	c := &compiler{alphabet: a, keep: map[int]bool{}, registers: int32(2 * (t.groups + 1))}
	t.root.walk(func(n *node) {
		if n.kind == kindRef {
			c.keep[n.ref] = true
		}
	})
	c.node(t.root)
	c.emit(opAssert, '$', 0, 0)
	c.emit(opAccept, 0, 0, 0)
	return &program{code: c.code, registers: int(c.registers), sets: a.members, word: a.word}
}

func (c *compiler) emit(op opcode, x, y, z int32) int {
	c.code = append(c.code, instr{op, x, y, z})
	return len(c.code) - 1
}

func (c *compiler) here() int32 { return int32(len(c.code)) }

func (c *compiler) register() int32 {
	c.registers++
	return c.registers - 1
}

func (c *compiler) node(n *node) {
	switch n.kind {
	case kindEmpty:
	case kindChar:
		op := opSet
		if c.backward {
			op = opSetBack
		}
		c.emit(op, int32(c.alphabet.setNo[n]), 0, 0)
	case kindConcat:
		for i := range n.kids {
			if c.backward {
				i = len(n.kids) - 1 - i
			}
			c.node(n.kids[i])
		}
	case kindAlt:
		c.alternatives(n)
	case kindGroup:
		c.group(n)
	case kindAssert:
		c.emit(opAssert, int32(n.assert), 0, 0)
	case kindRef:
		op := opRef
		if c.backward {
			op = opRefBack
		}
		c.emit(op, int32(n.ref), 0, 0)
	case kindLook:
		c.look(n)
	case kindLoop:
		c.loop(n)
	}
}

func (c *compiler) alternatives(n *node) {
	var ends []int
	for i, k := range n.kids {
		if i == len(n.kids)-1 {
			c.node(k)
			break
		}
		split := c.emit(opSplit, 0, 0, 0)
		c.code[split].x = c.here()
		c.node(k)
		ends = append(ends, c.emit(opJump, 0, 0, 0))
		c.code[split].y = c.here()
	}
	for _, e := range ends {
		c.code[e].x = c.here()
	}
}

func (c *compiler) group(n *node) {
	if n.capture == 0 || !c.keep[n.capture] {
		c.node(n.kids[0])
		return
	}
	open, shut := int32(2*n.capture), int32(2*n.capture+1)
	if c.backward {
		open, shut = shut, open
	}
	c.emit(opSave, open, 0, 0)
	c.node(n.kids[0])
	c.emit(opSave, shut, 0, 0)
}

func (c *compiler) look(n *node) {
	height, at := c.register(), c.register()
	look := c.emit(opLook, height, at, 0)
	before := c.backward
	c.backward = n.behind
	c.node(n.kids[0])
	c.backward = before
	if n.negative {
		c.emit(opLookFail, height, 0, 0)
		c.code[look].z = c.here()
		return
	}
	c.emit(opLookEnd, height, at, 0)
	over := c.emit(opJump, 0, 0, 0)
	c.code[look].z = c.here()
	c.emit(opFail, 0, 0, 0)
	c.code[over].x = c.here()
}

func (c *compiler) loop(n *node) {
	if n.max == 0 {
		return
	}
	body := n.kids[0]
	clearFrom, clearTo := int32(0), int32(0)
	for g := n.first; g < n.end; g++ {
		if c.keep[g] {
			if clearTo == 0 {
				clearFrom = int32(2 * g)
			}
			clearTo = int32(2*g + 2)
		}
	}
	iteration := func() {
		if clearTo > 0 {
			c.emit(opClear, clearFrom, clearTo, 0)
		}
		c.node(body)
	}
	if n.min == 1 && n.max == 1 {
		iteration()
		return
	}
	// choice emits the split before an optional iteration; leave is patched to the end of the loop
	var leaves []int
	choice := func() {
		split := c.emit(opSplit, 0, 0, 0)
		if n.lazy {
			c.code[split].y = c.here()
		} else {
			c.code[split].x = c.here()
		}
		leaves = append(leaves, split)
	}
	empty := nullable(body)
	mark := int32(-1)
	if empty {
		mark = c.register()
	}
	plain := n.max == unbounded && n.min <= 1 || n.max == 1
	if plain && n.min == 1 && !empty { // x+ is one x and x*
		top := c.here()
		iteration()
		choice()
		c.emit(opJump, top, 0, 0)
	} else if plain && n.min == 0 {
		top := c.here()
		choice()
		if empty {
			c.emit(opSave, mark, 0, 0)
		}
		iteration()
		if empty {
			c.emit(opMoved, mark, -1, 0)
		}
		if n.max == unbounded {
			c.emit(opJump, top, 0, 0)
		}
	} else {
		counter := c.register()
		c.emit(opZero, counter, 0, 0)
		top := c.here()
		c.emit(opAtLeast, counter, int32(n.min), 0)
		toBody := c.emit(opJump, 0, 0, 0)
		if n.max != unbounded {
			c.emit(opAtMost, counter, int32(n.max), 0)
			toChoice := c.emit(opJump, 0, 0, 0)
			leaves = append(leaves, c.emit(opJump, 0, 0, 0))
			c.code[toChoice].x = c.here()
		}
		choice()
		c.code[toBody].x = c.here()
		if empty {
			c.emit(opSave, mark, 0, 0)
		}
		c.emit(opCount, counter, 0, 0)
		iteration()
		if empty {
			c.emit(opMoved, mark, counter, int32(n.min))
		}
		c.emit(opJump, top, 0, 0)
	}
	for _, at := range leaves {
		i := &c.code[at]
		switch {
		case i.op == opJump:
			i.x = c.here()
		case n.lazy:
			i.x = c.here()
		default:
			i.y = c.here()
		}
	}
}

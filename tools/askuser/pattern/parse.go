package pattern

import (
	"fmt"
	"strings"
	"unicode"
)

// maxDepth is the maximum depth of nested groups. Deeper ones make the parsers of engines slow, before any match.
const maxDepth = 100

// parser reads ECMA-262 patterns: the grammar with the u flag if unicode is set, otherwise the grammar without flags
// including Annex B, as in browsers.
type parser struct {
	src     []rune
	at      int
	unicode bool
	depth   int
	groups  int      // capture groups in the whole pattern, counted beforehand
	seen    int      // capture groups opened so far
	names   []string // by number of group; "" without a name
	named   bool     // some group has a name: \k is a back-reference
	tree    *tree
	waiting []*node // named back-references, resolved at the end
	wanted  []string
}

// problem is a panic that carries a Refusal out of the recursion.
type problem struct{ *Refusal }

func (p *parser) fail(reason Reason, at int, format string, args ...any) {
	panic(problem{&Refusal{Reason: reason, Detail: fmt.Sprintf(format, args...) +
		fmt.Sprintf(" (character %d)", position(p.src, at))}})
}

// parse reads source under one of the two grammars.
func parse(source string, withU bool) (t *tree, refusal *Refusal) {
	p := &parser{unicode: withU}
	if withU {
		p.src = []rune(source)
	} else {
		p.src = toUnits(source)
	}
	p.tree = &tree{src: p.src, unicode: withU}
	defer func() {
		if r := recover(); r != nil {
			bad, ok := r.(problem)
			if !ok {
				panic(r)
			}
			t, refusal = nil, bad.Refusal
		}
	}()
	p.countGroups()
	p.names = make([]string, p.groups+1)
	root := p.disjunction()
	if p.at < len(p.src) { // only an unmatched ")" stops the disjunction
		p.fail(ReasonSyntax, p.at, `unmatched ")"; write "\)" for the character`)
	}
	p.resolveNames()
	p.tree.root, p.tree.groups = root, p.groups
	return p.tree, nil
}

// countGroups counts the capture groups and finds whether any has a name: both decide the meaning of \1 and \k.
func (p *parser) countGroups() {
	inClass := false
	for i := 0; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '(':
			if inClass {
				continue
			}
			if i+1 >= len(p.src) || p.src[i+1] != '?' {
				p.groups++
			} else if i+3 < len(p.src) && p.src[i+2] == '<' && p.src[i+3] != '=' && p.src[i+3] != '!' {
				p.groups++
				p.named = true
			}
		}
	}
}

func (p *parser) more() bool { return p.at < len(p.src) }

func (p *parser) peek(text string) bool {
	i := p.at
	for _, r := range text {
		if i >= len(p.src) || p.src[i] != r {
			return false
		}
		i++
	}
	return true
}

func (p *parser) take(text string) bool {
	if !p.peek(text) {
		return false
	}
	p.at += len(text) // only ASCII is asked for
	return true
}

func (p *parser) disjunction() *node {
	from := p.at
	var kids []*node
	for {
		kids = append(kids, p.alternative())
		if !p.take("|") {
			break
		}
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return &node{kind: kindAlt, kids: kids, from: from, to: p.at}
}

func (p *parser) alternative() *node {
	from := p.at
	var kids []*node
	for p.more() && p.src[p.at] != '|' && p.src[p.at] != ')' {
		kids = append(kids, p.term())
	}
	switch len(kids) {
	case 0:
		return &node{kind: kindEmpty, from: from, to: from}
	case 1:
		return kids[0]
	}
	return &node{kind: kindConcat, kids: kids, from: from, to: p.at}
}

func (p *parser) term() *node {
	from, firstGroup := p.at, p.seen+1
	n := p.atom()
	n.from, n.to = from, p.at
	lo, hi, lazy, ok := p.quantifier()
	if !ok {
		return n
	}
	if n.kind == kindAssert || n.kind == kindLook && (p.unicode || n.behind) {
		p.fail(ReasonSyntax, p.at-1, "%q cannot be repeated; drop the repetition after it", p.tree.text(from, n.to))
	}
	if _, longest, _ := p.tree.lengths(n); longest == 0 { // browsers also run an iteration that reads nothing once
		lo, hi = min(lo, 1), 1
	}
	return &node{kind: kindLoop, kids: []*node{n}, min: lo, max: hi, lazy: lazy,
		first: firstGroup, end: p.seen + 1, from: from, to: p.at}
}

// quantifier reads * + ? {n} {n,} {n,m} and the ? of a lazy one, if there is one here.
func (p *parser) quantifier() (lo, hi int, lazy, ok bool) {
	if !p.more() {
		return 0, 0, false, false
	}
	switch p.src[p.at] {
	case '*':
		lo, hi = 0, unbounded
		p.at++
	case '+':
		lo, hi = 1, unbounded
		p.at++
	case '?':
		lo, hi = 0, 1
		p.at++
	case '{':
		from := p.at
		lo, hi, ok = p.braces()
		if !ok {
			if p.unicode {
				p.fail(ReasonSyntax, from, `"{" is not a repetition such as {2} or {1,3}; write "\{" for the character`)
			}
			return 0, 0, false, false
		}
		if lo > hi {
			p.fail(ReasonSyntax, from, "the numbers of %q are out of order", p.tree.text(from, p.at))
		}
	default:
		return 0, 0, false, false
	}
	return lo, hi, p.take("?"), true
}

// braces reads {n}, {n,} or {n,m}. If there is none, p.at is unchanged.
func (p *parser) braces() (lo, hi int, ok bool) {
	from := p.at
	p.at++
	lo, ok = p.decimal()
	hi = lo
	if ok && p.take(",") {
		if hi, ok = p.decimal(); !ok {
			hi, ok = unbounded, true
		}
	}
	if !ok || !p.take("}") {
		p.at = from
		return 0, 0, false
	}
	return lo, hi, true
}

func (p *parser) decimal() (int, bool) {
	from, n := p.at, 0
	for p.more() && p.src[p.at] >= '0' && p.src[p.at] <= '9' {
		if n = n*10 + int(p.src[p.at]-'0'); n >= unbounded {
			p.fail(ReasonUnsupported, from, "a repetition count is over %d; use a smaller one", unbounded-1)
		}
		p.at++
	}
	return n, p.at > from
}

func (p *parser) atom() *node {
	c := p.src[p.at]
	switch c {
	case '^', '$':
		if p.at > 0 && p.at < len(p.src)-1 {
			p.tree.boundaries = true
		}
		p.at++
		return &node{kind: kindAssert, assert: byte(c)}
	case '(':
		return p.group()
	case '.':
		p.at++
		return &node{kind: kindChar, set: dotSet}
	case '[':
		return &node{kind: kindChar, set: p.class()}
	case '\\':
		return p.atomEscape()
	case '*', '+', '?':
		p.fail(ReasonSyntax, p.at, `%q repeats nothing; write "\%c" for the character`, string(c), c)
	case '{':
		if p.unicode {
			p.fail(ReasonSyntax, p.at, `lone "{"; write "\{" for the character`)
		}
		from := p.at
		if _, _, ok := p.braces(); ok {
			p.fail(ReasonSyntax, from, "%q repeats nothing", p.tree.text(from, p.at))
		}
	case '}', ']':
		if p.unicode {
			p.fail(ReasonSyntax, p.at, `lone %q; write "\%c" for the character`, string(c), c)
		}
	}
	p.at++
	return &node{kind: kindChar, set: single(c)}
}

func (p *parser) group() *node {
	from := p.at
	if p.depth++; p.depth > maxDepth {
		p.fail(ReasonTooComplex, from, "groups are nested more than %d deep; write a flatter pattern", maxDepth)
	}
	n := &node{kind: kindGroup}
	switch {
	case p.take("(?:"):
	case p.take("(?="):
		n.kind = kindLook
	case p.take("(?!"):
		n.kind, n.negative = kindLook, true
	case p.take("(?<="):
		n.kind, n.behind = kindLook, true
	case p.take("(?<!"):
		n.kind, n.behind, n.negative = kindLook, true, true
	case p.take("(?<"):
		p.seen++
		n.capture = p.seen
		p.nameGroup(n.capture, from)
	case p.take("(?"):
		p.badGroup(from)
	default:
		p.at++
		p.seen++
		n.capture = p.seen
	}
	n.first = p.seen + 1
	n.kids = []*node{p.disjunction()}
	n.end = p.seen + 1
	if !p.take(")") {
		p.fail(ReasonSyntax, from, `"(" is never closed; add ")", or write "\(" for the character`)
	}
	p.depth--
	return n
}

// badGroup explains the group syntax of other engines, and of browsers that are too new to rely on.
func (p *parser) badGroup(from int) {
	rest := string(p.src[p.at:min(len(p.src), p.at+12)])
	switch {
	case strings.HasPrefix(rest, ">"):
		p.fail(ReasonSyntax, from, "JavaScript has no atomic group (?>...); use (?:...)")
	case strings.HasPrefix(rest, "P<"), strings.HasPrefix(rest, "'"):
		p.fail(ReasonSyntax, from, "write a named group as (?<name>...)")
	case strings.HasPrefix(rest, "#"):
		p.fail(ReasonSyntax, from, "JavaScript patterns have no comments; drop (?#...)")
	case rest != "" && strings.ContainsRune("imsx-", rune(rest[0])):
		p.fail(ReasonUnsupported, from,
			"flags inside a pattern, such as (?i), do not work in every browser; spell the letters out, as in [Aa]")
	}
	p.fail(ReasonSyntax, from, `"(?" is not a group in JavaScript; use (?:...), (?=...), (?!...), (?<=...), (?<!...) or (?<name>...)`)
}

func (p *parser) nameGroup(number, from int) {
	name := p.groupName(from)
	for _, other := range p.names {
		if other == name {
			p.fail(ReasonUnsupported, from, "two groups are named %q, which not every browser allows; use two names", name)
		}
	}
	p.names[number] = name
}

// groupName reads a name and its ">". Escapes and characters beyond the BMP in names are not supported; they do not occur in practice.
func (p *parser) groupName(from int) string {
	var name []rune
	for p.more() && p.src[p.at] != '>' {
		r := p.src[p.at]
		letter := unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || r == '$' || r == '_'
		if !letter && (len(name) == 0 || !unicode.IsDigit(r)) {
			p.fail(ReasonSyntax, p.at, "a group's name has letters, digits, _ and $, and does not begin with a digit")
		}
		name = append(name, r)
		p.at++
	}
	if len(name) == 0 || !p.take(">") {
		p.fail(ReasonSyntax, from, "a group's name is missing or is not closed by \">\"")
	}
	return string(name)
}

func (p *parser) resolveNames() {
	for i, n := range p.waiting {
		for number, name := range p.names {
			if number > 0 && name == p.wanted[i] {
				n.ref = number
			}
		}
		if n.ref == 0 {
			p.fail(ReasonSyntax, n.from, "no group is named %q", p.wanted[i])
		}
	}
}

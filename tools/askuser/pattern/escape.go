package pattern

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// atomEscape reads an escape outside a class.
func (p *parser) atomEscape() *node {
	from := p.at
	p.at++
	if !p.more() {
		p.fail(ReasonSyntax, from, `the pattern ends in a lone "\"; write "\\" for the character`)
	}
	c := p.src[p.at]
	switch {
	case c == 'b' || c == 'B':
		p.at++
		p.tree.boundaries = true
		return &node{kind: kindAssert, assert: byte(c)}
	case c >= '1' && c <= '9':
		if n := p.backReference(from); n != nil {
			return n
		}
	case c == 'k' && (p.unicode || p.named):
		p.at++
		if !p.take("<") {
			p.fail(ReasonSyntax, from, `"\k" must be followed by the name of a group, as in \k<name>`)
		}
		n := &node{kind: kindRef, from: from}
		p.tree.refs = true
		p.wanted = append(p.wanted, p.groupName(from))
		p.waiting = append(p.waiting, n)
		return n
	}
	if s, ok := p.classEscape(); ok {
		return &node{kind: kindChar, set: s}
	}
	return &node{kind: kindChar, set: single(p.characterEscape(from, false))}
}

// backReference reads \1 to \99...; it returns nil if the number exceeds the number of groups (Annex B).
func (p *parser) backReference(from int) *node {
	start, n := p.at, 0
	for p.more() && p.src[p.at] >= '0' && p.src[p.at] <= '9' {
		n = min(n*10+int(p.src[p.at]-'0'), 1<<20)
		p.at++
	}
	if n <= p.groups {
		p.tree.refs = true
		return &node{kind: kindRef, ref: n}
	}
	if p.unicode {
		p.fail(ReasonSyntax, from, `%q refers to a group that does not exist`, p.tree.text(from, p.at))
	}
	p.at = start
	return nil
}

// classEscape reads one of d D s S w W p P after a backslash.
func (p *parser) classEscape() (set, bool) {
	c := p.src[p.at]
	var s set
	switch c {
	case 'd', 'D':
		s = digitSet
	case 's', 'S':
		s = spaceSet
	case 'w', 'W':
		s = wordSet
	case 'p', 'P':
		return p.property(c == 'P')
	default:
		return nil, false
	}
	p.at++
	if c < 'a' {
		s = s.negate()
	}
	return s, true
}

// property reads p{Name} or P{Name}. Without u it would mean these letters, which is never intended.
func (p *parser) property(negative bool) (set, bool) {
	from := p.at - 1
	if !p.unicode {
		if p.at+1 < len(p.src) && p.src[p.at+1] == '{' {
			p.fail(ReasonUnsupported, from,
				`\p{...} needs the u flag, under which the rest of this pattern is not valid; repair that part`)
		}
		return nil, false
	}
	p.at++
	end := p.at
	for end < len(p.src) && p.src[end] != '}' {
		end++
	}
	if !p.take("{") || end >= len(p.src) {
		p.fail(ReasonSyntax, from, `"\%c" must be followed by the name of a property, as in \p{L}`, p.src[p.at-1])
	}
	name := string(p.src[p.at:end])
	s, ok := set(nil), len(name) <= 60
	for _, r := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=", r) {
			ok = false
		}
	}
	if ok {
		s, ok = propertySet(name)
	}
	if !ok {
		p.noProperty(from, name)
	}
	p.at = end + 1
	if negative {
		s = s.negate()
	}
	return s, true
}

// noProperty refuses a name, with the correct form if it is the name of a script.
func (p *parser) noProperty(from int, name string) {
	defer func() {
		r := recover()
		if bad, ok := r.(problem); ok {
			bad.named = true
		}
		panic(r)
	}()
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "Is"), "In")
	for script := range unicode.Scripts {
		if strings.EqualFold(script, name) || strings.EqualFold(script, bare) {
			p.fail(ReasonSyntax, from, `write a script as \%c{Script=%s}`, p.src[from+1], script)
		}
	}
	p.fail(ReasonSyntax, from, `unknown property; use one such as \p{L}, \p{Lu}, \p{N} or \p{Script=Greek}`)
}

// syntaxCharacters may be escaped with the u flag. Without it, any character may.
const syntaxCharacters = `^$\.*+?()[]{}|/`

// characterEscape reads an escape of one character after a backslash.
func (p *parser) characterEscape(from int, inClass bool) rune {
	c := p.src[p.at]
	switch c {
	case 'f':
		return p.skip('\f')
	case 'n':
		return p.skip('\n')
	case 'r':
		return p.skip('\r')
	case 't':
		return p.skip('\t')
	case 'v':
		return p.skip('\v')
	case 'c':
		return p.control(from, inClass)
	case 'x':
		if r, ok := p.hex(p.at+1, 2); ok {
			p.at += 3
			return r
		}
		if p.unicode {
			p.fail(ReasonSyntax, from, `"\x" must be followed by two hexadecimal digits`)
		}
	case 'u':
		return p.unicodeEscape(from)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return p.octal(from)
	}
	if p.unicode && !(strings.ContainsRune(syntaxCharacters, c) || inClass && c == '-') {
		p.fail(ReasonSyntax, from, `%q is not an escape in JavaScript; write the character without "\"`, p.tree.text(from, p.at+1))
	}
	if !p.unicode && c == 'k' && p.named {
		p.fail(ReasonSyntax, from, `"\k" must be followed by the name of a group, as in \k<name>`)
	}
	return p.skip(c)
}

func (p *parser) skip(r rune) rune {
	p.at++
	return r
}

// control reads cA to cZ. In Annex B, a class also allows a digit or _; anything else means the backslash itself.
func (p *parser) control(from int, inClass bool) rune {
	if p.at+1 < len(p.src) {
		l := p.src[p.at+1]
		letter := l >= 'a' && l <= 'z' || l >= 'A' && l <= 'Z'
		if letter || inClass && !p.unicode && (l == '_' || l >= '0' && l <= '9') {
			p.at += 2
			return l % 32
		}
	}
	if p.unicode {
		p.fail(ReasonSyntax, from, `"\c" must be followed by a letter`)
	}
	return '\\' // the c is read next
}

// octal reads \0, and the octal escapes of Annex B.
func (p *parser) octal(from int) rune {
	if p.unicode {
		digitNext := p.at+1 < len(p.src) && p.src[p.at+1] >= '0' && p.src[p.at+1] <= '9'
		if p.src[p.at] != '0' || digitNext {
			p.fail(ReasonSyntax, from, `%q is not an escape with the u flag; use \xHH`, p.tree.text(from, p.at+1))
		}
		return p.skip(0)
	}
	r := rune(0)
	for i := 0; i < 3 && p.more(); i++ {
		d := p.src[p.at]
		if d < '0' || d > '7' || r*8+(d-'0') > 0xFF {
			break
		}
		r = r*8 + (d - '0')
		p.at++
	}
	return r
}

// unicodeEscape reads uHHHH, and with the u flag u{H...} and surrogate pairs.
func (p *parser) unicodeEscape(from int) rune {
	if p.at+1 < len(p.src) && p.src[p.at+1] == '{' {
		if !p.unicode {
			p.fail(ReasonUnsupported, from,
				`\u{...} needs the u flag, under which the rest of this pattern is not valid; repair that part`)
		}
		r, i := rune(0), p.at+2
		for ; i < len(p.src) && hexValue(p.src[i]) >= 0 && r <= maxRune; i++ {
			r = r*16 + hexValue(p.src[i])
		}
		if i == p.at+2 || i >= len(p.src) || p.src[i] != '}' || r > maxRune {
			p.fail(ReasonSyntax, from, `"\u{" must be followed by the hexadecimal number of a character and "}"`)
		}
		p.at = i + 1
		return r
	}
	r, ok := p.hex(p.at+1, 4)
	if !ok {
		if p.unicode {
			p.fail(ReasonSyntax, from, `"\u" must be followed by four hexadecimal digits`)
		}
		return p.skip('u')
	}
	p.at += 5
	if p.unicode && isHigh(r) && p.peek(`\u`) {
		if low, ok := p.hex(p.at+2, 4); ok && isLow(low) {
			p.at += 6
			return utf16.DecodeRune(r, low)
		}
	}
	return r
}

func (p *parser) hex(at, digits int) (rune, bool) {
	if at+digits > len(p.src) {
		return 0, false
	}
	r := rune(0)
	for _, d := range p.src[at : at+digits] {
		v := hexValue(d)
		if v < 0 {
			return 0, false
		}
		r = r*16 + v
	}
	return r, true
}

func hexValue(r rune) rune {
	switch {
	case r >= '0' && r <= '9':
		return r - '0'
	case r >= 'a' && r <= 'f':
		return r - 'a' + 10
	case r >= 'A' && r <= 'F':
		return r - 'A' + 10
	}
	return -1
}

// class reads [...] or [^...].
func (p *parser) class() set {
	from := p.at
	p.at++
	negative := p.take("^")
	var spans []span
	for {
		if !p.more() {
			p.fail(ReasonSyntax, from, `"[" is never closed; add "]", or write "\[" for the character`)
		}
		if p.take("]") {
			break
		}
		at := p.at
		lo, one := p.classAtom()
		// a range has an end that is not the closing bracket
		if !p.peek("-") || p.at+1 >= len(p.src) || p.src[p.at+1] == ']' {
			spans = append(spans, lo...)
			continue
		}
		p.at++
		hi, oneHi := p.classAtom()
		switch {
		case one && oneHi:
			if lo[0].lo > hi[0].lo {
				p.fail(ReasonSyntax, at, `the range %q is out of order; write "\-" for a hyphen`, p.tree.text(at, p.at))
			}
			spans = append(spans, span{lo[0].lo, hi[0].lo})
		case p.unicode:
			p.fail(ReasonSyntax, at, `%q cannot be a range; write "\-" for a hyphen`, p.tree.text(at, p.at))
		default: // Annex B: three separate things
			spans = append(append(spans, lo...), hi...)
			spans = append(spans, span{'-', '-'})
		}
	}
	s := normal(spans)
	if negative {
		s = s.negate()
	}
	return s
}

// classAtom reads a character or class escape inside a class; one reports whether it is a single character.
func (p *parser) classAtom() (s set, one bool) {
	if !p.more() {
		return nil, false // the caller reports the open class
	}
	from := p.at
	c := p.src[p.at]
	p.at++
	if c != '\\' {
		return single(c), true
	}
	if !p.more() {
		p.fail(ReasonSyntax, from, `the pattern ends in a lone "\"; write "\\" for the character`)
	}
	switch c := p.src[p.at]; {
	case c == 'b':
		return single(p.skip('\b')), true
	case c == 'B' && p.unicode:
		p.fail(ReasonSyntax, from, `"\B" has no meaning inside a class`)
	case c == 'k' && p.unicode:
		p.fail(ReasonSyntax, from, `"\k" has no meaning inside a class`)
	}
	if s, ok := p.classEscape(); ok {
		return s, false
	}
	return single(p.characterEscape(from, true)), true
}

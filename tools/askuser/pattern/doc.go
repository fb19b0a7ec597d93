// Package pattern decides which regular expressions may be sent to a browser, and matches answers against them on the
// server as the browser does.
//
// A model proposes the pattern; a browser runs new RegExp('^(?:' + source + ')$', flags) on whatever a person types. A
// backtracking engine can hang on a short text: (\w+\s?)+ takes V8 hours for 60 letters and a full stop. So a pattern is
// accepted only if a bound on the work is found that holds for every text of the allowed length; in doubt it is
// refused, with advice. Engines of the server cannot be asked: they rewrite patterns before they run them and are
// quick where browsers hang. Slow texts are not searched for: what no search found was slow once in 10,000 patterns.
//
// # Method
//
//	Check   parse ── valid with u, else without? ── can an answer match at all? ── judge
//	judge   automaton ──> clusters ──> bound ──> low enough? ── accept, or name the culprit
//
// 1. Parse (parse.go, escape.go): a strict parser of ECMA-262 patterns, first with the u flag, then without it (Annex B).
// What it refuses is not JavaScript. Left out on purpose: inline flags and duplicate group names (only in new browsers),
// and what only the u flag gives a meaning (\p{L}, \u{61}) in a pattern that is invalid under u.
//
// 2. Divide all characters into minterms (class.go), the groups that no class of the pattern tells apart. Everything
// after this works on their numbers ("symbols").
//
// 3. Build a position automaton (build.go) that reads a text in at least as many ways as a browser tries: counts
// above 4 are endless first, and written out only if that proves nothing. A lookaround is a place that costs what its
// body does, found in the same way, and leads nowhere. A back-reference reads what its group may hold. Assertions keep
// apart what they keep apart in the browser.
//
// 4. Bound the work (bound.go). If a way can go on in several ways for one character, a browser that fails has tried
// them all: their costs add up. So the cost of a spot with m characters left is what it takes to look around, and the
// worst that a character can make of the costs of the spots after it with m-1 left:
//
//	cost(p, m) = fan(p) + max over characters c of the sum of cost(q, m-1) over all q that p leads to by c
//
// Each way is granted the text that is worst for it, though all read the same: the sum is never too low. It is too
// high where ways part that cannot all go on, as the two after "a" in (?:ab|ac)*, so up to six that have read the same
// are followed together, as a cluster. And where a match ends it all, what is left is not tried: beside the cost if
// all ways fail stands that if one leads to a match. In (?:.|\s)+ no way can fail, so it is harmless.
//
// 5. Accept (verdict.go) if the bound is at most 7.5e8 steps for the longest answer, and 6e7 + 40 m² for each length m.
// Quadratic patterns stay below, exponential and cubic ones far above. Lookarounds, back-references, nested loops and
// ambiguity are no reasons by themselves.
//
// 6. Else name the culprit (message.go): the smallest part of the pattern that is over the limit by itself, if what
// comes after it fails.
//
// # Numbers
//
// Measured on node 20 (V8 11.3): V8 takes 0.5 to 0.9 ns for a step of the bound on the worst texts that were found, where
// loops run through long text and where backtracking jumps about; 7.5e8 steps are therefore some 0.5 s. What a text below
// 1,000 units first meets is interpreted, at some 13 ns a step: 6e7 are 0.8 s. More than 256 ways to one place without
// reading a character are too complex, for V8 compiles what follows once for each.
// The tests' machine, which has V8's instructions, takes at most 8 steps for one of the bound, mostly 1 to 3.
// Two loops over 4,000 characters have a bound of 2e7 to 4e8, three of over 1e10.
//
// Text of two bytes a character costs more, the more ranges a class has, and beyond the BMP again (class.go, dear).
//
// The verdict is deterministic: no clock, no goroutine, no map order. It is limited: 1.6e7 units of work (a way followed
// by a character) for one pattern, and 1e6 to name the culprit, which is below 50 ms, and a few megabytes. A pattern
// whose bound takes more, and of which none was found to be over the limit, is refused as too complex.
//
// # Measured
//
// On patterns that people wrote, labelled by V8 (patterneval FILE; the files are no part of the repository): all of 776
// exponential and of 177 harmful polynomial ones are refused, 3 of 1,544 harmless ones (for a property that does not exist,
// and for ^ where no text can match, none for its cost), and 18 of 357 quadratic ones that are called harmless. A verdict
// takes 0.3 ms in the middle, 10 ms at the 99th percentile and 50 ms at most. Of the harmless patterns of the generator, 3 to
// 5 % are refused.
//
// Of 10,000 patterns that patterneval composed and this package accepted, V8 took more than 0.4 s for two, 488 ms at most
// (patterneval -accepted -generate 5000, seeds 9501 and 9502).
//
// # Limits
//
// The bound counts steps as V8's irregexp takes them; another engine may take others. It is not sharp: refused,
// though harmless, are patterns in which only a lookaround or the length of what a group captured keeps a text from
// being read in many ways, and those whose large counts would have to be written out and are too many.
//
// # Matching
//
// A Matcher has regexp2 match an answer in its ECMAScript mode, with u on code points, without u on UTF-16 units as a
// browser does. testdata holds verdicts and matches recorded from node, and a machine with V8's instructions, which
// counts steps, is the witness of the bound in the tests. On 230,040 texts composed from the classes of 3,834 accepted
// patterns the two differ nowhere. New characters of \p{...} follow the Unicode version of Go's tables.
//
// # Sources
//
// Weideman, van der Merwe, Berglund, Watson: Analyzing Matching Time Behavior of Backtracking Regular Expression
// Matchers by Using Ambiguity of NFA (CIAA 2016), for why the ways to read a text are what matching costs; Weber and
// Seidl: On the degree of ambiguity of finite automata (1991); the documentation of recheck, scslre, regexploit and
// redos-detector, for what detectors find and miss; ECMA-262, sections "RegExp Objects" and Annex B.1.2, for syntax and
// semantics.
package pattern

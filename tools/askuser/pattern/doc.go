// Package pattern decides which regular expressions may be sent to a browser, and matches answers against them on the
// server as the browser does.
//
// The model writes the pattern, and the browser runs new RegExp('^(?:' + source + ')$', flags) on the user's input. A
// backtracking engine can hang on a short text: for (\w+\s?)+ V8 takes hours on 60 letters and a full stop. So a pattern
// is accepted only if an upper bound of the work is found for all texts of the allowed length. In doubt it is refused,
// with advice. Running it on a server's engine proves nothing: such engines rewrite patterns first and are quick where
// browsers hang. Neither does searching for slow texts: about one pattern in 10,000 was slow although no search found it.
//
// # Method
//
//	Check   parse ── valid with u, else without? ── can an answer match at all? ── judge
//	judge   automaton ──> clusters ──> bound ──> low enough? ── accept, or name the culprit
//
// 1. Parse (parse.go, escape.go): a strict parser of ECMA-262 patterns, first with the u flag, then without it (Annex B).
// It refuses what is not JavaScript. It also refuses inline flags and duplicate group names, which only new browsers
// support, and syntax that needs the u flag (\p{L}, \u{61}) in a pattern that is invalid with u.
//
// 2. Divide all characters into minterms (class.go): groups that no class of the pattern separates. All later steps
// work on their numbers ("symbols").
//
// 3. Build a position automaton (build.go) that reads a text in at least as many ways as a browser tries. Counts above 4
// are first treated as unlimited, and expanded only if that proves nothing. A lookaround is a spot without arcs, with
// the cost of its body, which is computed in the same way. A back-reference reads any text that its group may capture.
// Assertions exclude the same ways as in the browser.
//
// 4. Bound the work (bound.go). If a way can continue in several ways for one character, a browser that fails has tried
// them all, so their costs add up. The cost of a spot with m characters left is therefore the cost of trying its arcs,
// plus the worst sum, over all characters, of the costs of the next spots with m-1 characters left:
//
//	cost(p, m) = fan(p) + max over characters c of the sum of cost(q, m-1) over all q that p leads to by c
//
// For each way the worst text is assumed, although all ways read the same text, so the sum is never too low. It is too
// high if ways separate that cannot all continue, such as the two after "a" in (?:ab|ac)*. So up to six ways that have
// read the same text are followed together, as a cluster. A match ends the work, and the remaining ways are not tried.
// So there are two costs: one if all ways fail, and one if a way leads to a match. In (?:.|\s)+ no way can fail, so it
// is harmless.
//
// 5. Accept (verdict.go) if the bound is at most 7.5e8 steps for the longest answer, and 6e7 + 40 m² for each length m.
// Quadratic patterns stay below, exponential and cubic ones are far above. Lookarounds, back-references, nested loops
// and ambiguity alone are not reasons to refuse.
//
// 6. Otherwise report the culprit (message.go): the smallest part of the pattern that exceeds the limit by itself if the
// part after it fails.
//
// # Numbers
//
// Measured on node 20 (V8 11.3): on the worst texts found, V8 takes 0.5 to 0.9 ns for a step of the bound, both in loops
// over long text and in backtracking. So 7.5e8 steps are about 0.5 s. At first V8 interprets a pattern on texts below
// 1,000 units, at about 13 ns per step: 6e7 steps are 0.8 s. More than 256 ways to one spot without reading a character
// are too complex, because V8 compiles the rest of the pattern once for each.
// The machine in the tests, which has V8's instructions, takes at most 8 steps for one step of the bound, mostly 1 to 3.
// Two loops over 4,000 characters have a bound of 2e7 to 4e8, three have over 1e10.
//
// Text with two bytes per character costs more for classes with many ranges, and more again beyond the BMP (class.go,
// dear).
//
// The verdict is deterministic: it uses no clock, no goroutine and no map order. Its work is limited: 1.6e7 units (one
// unit follows one way by one character) for a pattern, and 1e6 to find the culprit, which is below 50 ms, and a few
// megabytes. A pattern that takes more work, and was not found to be over the limit, is refused as too complex.
//
// # Measured
//
// On patterns written by people and labelled by V8 (patterneval FILE; the files are not in the repository), these are
// refused: all of 776 exponential and of 177 harmful polynomial ones, 3 of 1,544 harmless ones (for a property that does
// not exist, and for a ^ that no text can match, none for its cost), and 18 of 357 quadratic ones labelled harmless. A
// verdict takes 0.3 ms at the median, 10 ms at the 99th percentile and 50 ms at most. Of the generator's harmless
// patterns, 3 to 5 % are refused.
//
// Of 10,000 patterns that patterneval composed and this package accepted, V8 took more than 0.4 s for two, 488 ms at most
// (patterneval -accepted -generate 5000, seeds 9501 and 9502).
//
// # Limits
//
// The bound counts the steps of V8's irregexp; other engines may take others. It is not tight. Harmless patterns are
// refused if only a lookaround or the length of a capture prevents many ways to read a text, or if their large counts
// would have to be expanded and are too many.
//
// # Matching
//
// A Matcher uses regexp2 in its ECMAScript mode, with u on code points, without u on UTF-16 units as a browser does.
// testdata has verdicts and matches recorded from node. In the tests, a machine with V8's instructions counts steps to
// verify the bound. On 230,040 texts composed from the classes of 3,834 accepted patterns, regexp2 and node agree on
// all. New characters of \p{...} follow the Unicode version of Go's tables.
//
// # Sources
//
// Weideman, van der Merwe, Berglund, Watson: Analyzing Matching Time Behavior of Backtracking Regular Expression
// Matchers by Using Ambiguity of NFA (CIAA 2016), for why the number of ways to read a text determines the cost; Weber
// and Seidl: On the degree of ambiguity of finite automata (1991); the documentation of recheck, scslre, regexploit and
// redos-detector, for what detectors find and miss; ECMA-262, sections "RegExp Objects" and Annex B.1.2, for syntax and
// semantics.
package pattern

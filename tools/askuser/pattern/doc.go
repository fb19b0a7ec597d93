// Package pattern decides which regular expressions may be sent to a browser, and matches answers against them on the
// server as the browser does.
//
// A model proposes the pattern; a browser runs new RegExp('^(?:' + source + ')$', flags) on whatever a person types. A
// backtracking engine can hang on a short text: (\w+\s?)+ takes V8 hours for 60 letters and a full stop. So a pattern is
// accepted only when no text of the allowed length is slow, and refused with the mend otherwise. Engines of the server
// cannot be asked: they rewrite patterns before they run them and are quick where browsers hang.
//
// # Method
//
//	Check   parse ── valid with u, else without? ── can an answer match at all? ── judge
//	judge   loose automaton ──> proposer ──> attacks ──┐
//	        exact automaton ──> flow ──────> cost <────┤
//	        program ──────────> machine ───> steps <───┘
//
// 1. Parse (parse.go, escape.go): a strict parser of ECMA-262 patterns, first with the u flag, then without it (Annex B).
// What it refuses is not JavaScript. Left out on purpose: inline flags and duplicate group names (only in new browsers),
// and what only the u flag gives a meaning (\p{L}, \u{61}) in a pattern that is invalid under u.
//
// 2. Divide all characters into minterms (class.go), the groups that no class of the pattern tells apart. Everything
// after this works on their numbers ("symbols").
//
// 3. Propose (propose.go, ambiguity.go): a position automaton in which every loop is endless shows where one text can be
// read in two ways. Within a strongly connected component that is exponential ambiguity (two ways from a position back
// to itself, found as a path through the product of the automaton with itself); between components polynomial ambiguity
// (one word that two loops both read, or that leads from one to the other). Each becomes an attack: a prefix, a pumped
// word, and an ending after which nothing can match (prefix.go, ending.go; exhaust.go for loops that only one iteration too many
// makes fail, by the automaton with its counts); slow attacks are chained in pairs. For what
// automata do not describe, namely lookarounds, back-references and word boundaries, random walks with fixed seeds and a
// search over endings are added (wander.go). Loops are not needed: a beam search finds the text that can be read in the
// most ways, as in (a|a)(a|a)(a|a)... (finite.go). And where there are counts, lookarounds or back-references, the tree
// itself writes texts that keep them (written.go); these run at full length first, for what shows only there: iterations
// of a hundred characters, a loop whose last iteration is used up after two thousand, minimums that empty iterations
// make up for, texts that match in the end.
//
// 4. Confirm (program.go, machine.go, measure.go): each attack runs in a small machine with the instructions of V8's
// irregexp, which counts steps: greedy and lazy loops, counters, the check for empty iterations, captures that are reset
// in each iteration. The text is pumped twice as often each time until the growth is clear, and until the
// loop with the longest iteration has turned several times. The cost at full length is
// then calculated, not guessed: flow (flow.go) counts in how many ways the exact automaton, with all counts written out,
// can have read each beginning of the text, which takes time proportional to the text however many ways there are. If
// flow and machine do not grow alike, the cost is extrapolated from the machine alone, or run out at full length.
//
// 5. Refuse above 3e8 steps, and above 1e8 where growth is more than quadratic. Nothing else is a reason: lookarounds,
// back-references, nested loops without ambiguity and quadratic patterns pass.
//
// Static analysis alone would refuse 8 to 9 % of harmless patterns; attacks that have been run refuse hardly any.
//
// # Numbers
//
// Measured on node 20 (V8 11.3): a step costs 0.5 to 0.9 ns where one loop runs through a long text (quadratic patterns), 2 to
// 3.6 ns where backtracking jumps about. 3e8 and 1e8 steps are therefore some 150 to 300 ms; two loops over 4,000
// characters cost 3e7 to 1e8 steps, three over 1e9.
//
// Text of two bytes a character costs more, the more ranges a class has, and beyond the BMP again (class.go, dear).
//
// The verdict is deterministic: no clock, no goroutine, no map order. It is bounded: 8e6 units of work (a step of the
// machine, an arc followed) for one pattern, which is below 100 ms, and a few megabytes. A pattern whose analysis uses
// them up is refused as too complex, and so is one whose loops are ambiguous and have counts within counts that are too
// large for the exact automaton: nothing tells then which text is slow.
//
// # Limits
//
// It is a search for attacks, not a proof of their absence. What it may miss: attacks that need a text which no walk
// through the automaton suggests, as several lookarounds with back-references can ask for; more than two different
// pumped words in a row; iterations of a hundred characters and more that have to be of just the right length.
//
// Of 10,000 patterns that patterneval composed and this package accepted, V8 took more than a second for 1:
// [A-Z0-9](?:\D*\S*){7,41}(?:[^"]{1,6} ?)*(?:[0-9a-f]* ?){0,16} (patterneval -accepted -generate 5000, seeds 111: none,
// and 113).
//
// # Matching
//
// Match runs the same machine on the answer, with u on code points, without u on UTF-16 units as a browser does, and stops
// at a number of steps. regexp2 only knows the characters of \p{...}. testdata/node-agreement.jsonl holds verdicts and
// matches recorded from node. New characters of \p{...} follow the Unicode version of Go's tables.
//
// # Sources
//
// Weideman, van der Merwe, Berglund, Watson: Analyzing Matching Time Behavior of Backtracking Regular Expression
// Matchers by Using Ambiguity of NFA (CIAA 2016), for exponential and polynomial ambiguity; Weber and Seidl: On the
// degree of ambiguity of finite automata (1991); the documentation of recheck, scslre, regexploit and redos-detector,
// for what detectors find and miss; ECMA-262, sections "RegExp Objects" and Annex B.1.2, for syntax and semantics.
package pattern

// Writes v8-pairs.jsonl: the results of V8 for pairs of a pattern and an answer, for each operation of the matcher and
// both sides of each border of a class. The pairs are written by hand, to have each case once or a few times. Run it
// with Node.js 20:
//
//	node v8-pairs.mjs >v8-pairs.jsonl
const pairs = [];
const add = (source, ...answers) => pairs.push([source, answers]);
const at = (...codes) => codes.map((c) => String.fromCodePoint(c));

// Classes: every border, with the characters before and after it.
const borders = (...ranges) => at(...ranges.flatMap(([lo, hi]) => [lo - 1, lo, hi, hi + 1].filter((c) => c >= 0)));
const space = borders([9, 13], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff]).concat(at(0x85, 0x180e, 0x200b));
for (const s of ["\\s", "\\S", "[\\s]", "[^\\s]", "[\\S]", "[^\\S]"]) add(s, ...space);
const lines = borders([10, 10], [13, 13], [0x2028, 0x2029]).concat(at(0x85, 0x0b, 0x0c));
for (const s of [".", "[.]", "[^.]", "[^]", "(?:.|a)"]) add(s, ...lines, ".", "a");
for (const s of ["\\d", "\\D", "[\\d]", "[^\\d]"]) add(s, ...borders([48, 57]), ...at(0x660, 0xff10));
for (const s of ["\\w", "\\W", "[\\w]", "[^\\W]"]) add(s, ...borders([48, 57], [65, 90], [95, 95], [97, 122]), ...at(0xe9, 0x17f, 0x212a));
for (const s of ["[a-c]", "[^a-c]", "[ac-]", "[-ac]", "[\\]a]", "[\\-a]", "[\\b]", "[a-c\\d]", "[]|a", "[\\u00e0-\\u00ff]"]) add(s, "`", "a", "b", "c", "d", "-", "]", "\b", "5", "ß", "à", "ÿ", "\u0100");
for (const s of ["[\\u{1F600}-\\u{1F602}]", "[😀-😂]", "\\u{1F600}", "😀", "\\ud83d\\ude00", "[^😀]", "."]) add(s, "😀", "😁", "😂", "😃", "a", "\u{1F5FF}");
for (const s of ["\\p{L}", "\\P{L}", "\\p{Lu}", "\\p{Script=Greek}", "[\\p{L}\\d]", "[^\\p{L}]"]) add(s, "a", "A", "Σ", "ß", "1", "_", "漢", "𐐀");

// Escapes.
for (const s of ["\\t", "\\n", "\\v", "\\f", "\\r", "\\0", "\\x41", "\\u0041", "\\cA", "\\/", "\\.", "\\\\", "\\$"]) add(s, "\t", "\n", "\v", "\f", "\r", "\0", "A", "\x01", "/", ".", "\\", "$", "a");
for (const s of ["\\a", "\\x4", "\\u004", "\\c1", "\\1", "\\8", "\\07", "\\k<a>", "{", "}", "]", "a{,2}"]) add(s, "a", "x4", "u004", "\\c1", "\x01", "8", "\x07", "k<a>", "{", "}", "]", "a{,2}", "aa", "");

// Counts, greedy and lazy, at their borders.
for (const s of ["a*", "a+", "a?", "a{2}", "a{2,}", "a{2,4}", "a{0}", "a{0,1}", "a*?", "a+?", "a??", "a{2,4}?", "(?:ab){2,3}", "(?:a|b){3}", "a{5}", "a{5,7}", "(?:){5}a", "(?:\\b){6}a", "(?:(?=a)){9}a", "(?:){0}a", "(?:a?){6}", "(?:a*)*", "(?:a*)+b", "(?:a|){3}b"])
	add(s, "", "a", "aa", "aaa", "aaaa", "aaaaa", "aaaaaa", "aaaaaaaa", "ab", "abab", "ababab", "abababab", "aab", "bab", "b");
for (const s of ["a|ab", "ab|a", "a|", "|a", "(?:a|ab)(?:c|bcd)", "a||b", "(?:a|ab)(?:c|bcd)d?"]) add(s, "", "a", "ab", "ac", "abc", "abcd", "abbcd", "b", "abcdd");

// Assertions.
for (const s of ["^a$", "a^b", "a$b", "(?:^a|b)+", "(?:a$|b)+", "^^a$$", "a\\b", "\\ba", "\\Ba", "a\\B", "a\\b b", "a\\bb", "\\b", "\\B", "é\\bb", "a\\b-", "-\\b_", "(?:\\b|x)a"]) add(s, "", "a", "b", "ab", "ba", "aa", "a b", "éb", "a-", "-_", "xa", "a\nb");

// Lookaheads and lookbehinds; they do not backtrack after a match.
for (const s of ["(?=a)a", "(?=a)b", "(?!a)b", "(?!a)a", "a(?=b)b", "(?=.*\\d)(?=.*[a-z]).{3,}", "(?!.*--)[a-z-]+", "(?=(a+))a*b\\1", "(?=(a+))\\1b", "(?=(a+?))\\1b", "(?=(a|ab))\\1c", "(?=(a*))a\\1", "(?=(\\w+))\\1x", "(?!(a))\\1b", "(?=(?=(a+))\\1b)a+b", "(?=(a|aa))(?:\\1)b", "(?:(?=(a+))b|a)+"])
	add(s, "", "a", "b", "ab", "aab", "aaab", "aba", "abc", "ac", "abac", "aaba", "a1b", "a--b", "a-b", "abx", "x", "aa", "aaa");
for (const s of ["a(?<=a)b", "ab(?<=ab)c", "a(?<!a)b", "b(?<!a)", "ab(?<!a)", ".*(?<=\\d)", "(a)b(?<=\\1b)", "ab(?<=(a)b)\\1", "abab(?<=(\\w+)\\1)", "aab(?<=(a+)b)\\1", "aab(?<=(a+?)b)\\1", "a(?<=^a)b", "(?<=b)a|a", "ab(?<=a(?=b)b)"])
	add(s, "", "a", "b", "ab", "abc", "aab", "aaba", "aabaa", "aba", "abab", "1", "a1", "a1b", "abb");

// Groups and back-references; a loop resets its captures in each iteration.
for (const s of ["(a)\\1", "(a*)\\1", "(a|b)\\1", "(a)|b\\1", "\\1(a)", "(?:(a)|b)\\1", "(?:(a)|(b))*\\1", "(?:(a)|b)*\\1", "(?:(a)|b){2}\\1", "(?:(a)|(b))+\\2", "(?:(a)|b)+?\\1c", "(?:(a)?b)*\\1", "(?:(a)|b\\1)+", "((a)|b)*\\2", "(?:(a)(?=b)|b\\1)+", "(z)((a+)?(b+)?(c))*", "(?:(?=(a))a|b)*\\1", "(?:(a){0,2}b)*\\1", "(?<n>a)\\k<n>", "(?<n>a|b)\\k<n>", "(😀)\\1", "(.)\\1", "((a)\\2)\\1", "(a(b)?)+\\2"])
	add(s, "", "a", "b", "aa", "ab", "ba", "bb", "aaa", "aab", "aba", "abb", "baa", "bab", "bba", "abab", "abc", "bac", "aaaa", "zaacbbbcac", "😀😀", "😀", "abba", "ababb", "babb");

for (const [pattern, answers] of pairs) {
	for (const flags of ["u", ""]) {
		if (flags === "" && /\\[pP]|\\u\{/.test(pattern)) continue; // these have another meaning without u, and are refused
		let expression;
		try {
			expression = new RegExp(`^(?:${pattern})$`, flags);
			new RegExp(pattern, flags);
		} catch {
			continue;
		}
		const all = [...new Set(answers)];
		console.log(JSON.stringify({ pattern, flags, matches: all.filter((a) => expression.test(a)), fails: all.filter((a) => !expression.test(a)) }));
	}
}

package main

// figure is one section of the page.
type figure struct {
	title   string // also the anchor that other pages link to
	about   string // Markdown: what is measured
	command string // for sh, in the folder of the module
	keep    string // the lines of the output to show, as a regular expression
}

const benchmark = `^Benchmark`

var table = []figure{
	{
		"First start and size",
		"What `go run ./cmd/askgate` downloads, compiles and leaves in Go's caches the first time, and the size of the stripped binary.",
		`dir=$(mktemp -d) && export GOMODCACHE="$dir/modules" GOCACHE="$dir/builds" GOFLAGS=-modcacherw
start=$(date +%s) && go build -o "$dir/first" ./cmd/askgate 2>/dev/null && echo "first build: $(($(date +%s) - start)) s"
echo "caches and binary: $(du -sm "$dir" | cut -f1) MB"
make build >"$dir/log" && echo "binary: $(($(wc -c <bin/askgate) / 1000000)) MB"
rm -rf "$dir"`,
		`^(first build|caches and binary|binary): `,
	},
	{
		"Streams and turns",
		"The gateway next to a floor: a minimal server that decodes, encodes and flushes each chunk and does nothing else. Each figure is the median ratio to that floor.",
		"go run ./gateway/prove/streambench -rounds 3",
		`.`,
	},
	{
		"One caller against the others",
		"Hostile requests and slow connections next to good conversations, then one key that uses up all it may with `GOMEMLIMIT=400MiB`. The command fails if a good conversation breaks, memory passes its limit, or conversations take more than twice their time.",
		"go run ./gateway/prove/chaos hostile",
		`.`,
	},
	{
		"Long chats",
		"One more message to a chat on SQLite whose turns have 800 bytes and a call each, with a model that answers at once. `contextTokens=0` reads and sends all of it, `8000` about 24 KB.",
		`go test -run '^$' -bench LongChat ./gateway/turn`,
		benchmark,
	},
	{
		"Long chats on the page",
		"A chat of 2,000 messages in Chromium, 200 loaded at a time: until all that was loaded is drawn, with the layouts that this takes, and until a typed key is drawn.",
		`go test -tags browser -count 1 -parallel 1 -v -run 'ALongChatIs|TypingInALongChat' ./gateway/prove/browsertest -messages 2000`,
		`drawn after`,
	},
	{
		"A large store",
		"What the engine asks of the store, with 20,000 chats compared with 1,000. Every tenth chat waits for an answer.",
		`go test -run '^$' -bench Size -timeout 1h ./gateway/store/sqldb`,
		benchmark,
	},
	{
		"Reports about questions",
		"`askgate report` over 200,000 questions on SQLite: one report.",
		`ASKGATE_BENCH_CHATS=200000 go test -run '^$' -bench 'Questions$/SQLite' ./gateway/store/sqldb`,
		benchmark,
	},
	{
		"Options of a question",
		"One search among 100,000 options, and reading as many from their source.",
		`go test -run '^$' -bench 100000 ./tools/options`,
		benchmark,
	},
	{
		"Documents",
		"Indexing, searching and editing a folder of Markdown files of 3 to 4 KB each.",
		"go run ./tooltypes/documents/documentsbench -n 12237",
		`.`,
	},
	{
		"Passages found by a question",
		"How often a question in words, or a citation, finds the right passage in 2,000 generated statutes of four languages. They have headings that mislead, decrees that repeat a law's title, and references to other laws. The weights were chosen with seed 1.\n\n" +
			"In a public corpus, 1,682 German laws of `github.com/bundestag/gesetze`, 65 questions and 39 citations were asked on 2026-11-30 (`-corpus DIR -questions tooltypes/documents/documentsbench/testdata/gesetze.tsv -languages de`). With `languages`, 61.5 % of the questions found the right passage first, and 92.3 % among ten; with the synonyms of `testdata/gesetze-synonyms.txt` as well, 70.8 % and 95.4 %; with neither, before there were such keys, 32.3 % and 52.3 %. Those synonyms were written when it was known which questions found nothing. Citations found the right passage first in 100 %.",
		`for seed in 11 12 13; do echo "seed $seed"; go run ./tooltypes/documents/documentsbench -statutes 2000 -seed $seed -languages es,de,en,fr; done`,
		`.`,
	},
	{
		"How well it asks",
		"Simulated people: repeated questions, arguments that no one gave, forms, caps, and the report that admins read.",
		"go run ./gateway/prove/askbench",
		`.`,
	},
	{
		"Unsafe patterns",
		"The verdict on validation patterns, on the labelled corpus.",
		"go run ./tools/askuser/pattern/patterneval",
		`.`,
	},
	{
		"Questions that ask for secrets",
		"Each set of labelled questions, judged with weights fitted to the other sets.",
		"go run ./tools/askuser/secret/secreteval",
		` all `,
	},
}

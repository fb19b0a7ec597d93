package main

// A workload is a kind of load, and the figures that are taken from it.
type workload struct {
	name, title string
	chunks      int  // of a turn
	rate        int  // chunks per second of a turn; 0: as fast as they are read
	streams     int  // how many turns run at once, one after another in each stream; or
	perSecond   int  // how many turns begin in each second, whatever became of the earlier ones
	shared      bool // the gateway has PostgreSQL and Redis
	grown       int  // how many turns the chat has in which all others follow; 0: each turn is a chat's first
	figures     []figure
}

// figure is a line of the report. Must and aim are ratios to the floor, or
// absolute where there is nothing to compare; 0: nothing was promised.
type figure struct {
	name, unit string
	absolute   bool
	guarded    bool // by -guard
	must, aim  float64
	of         func(sample) float64
}

// sample is what one measurement found.
type sample struct {
	cpu           float64   // microseconds of processor time
	seconds       float64   // that it took
	chunks, turns int       // seen, and begun
	latencies     []float64 // of chunks from the upstream's hand to the client's, microseconds
	first         []float64 // from sending a message to its first chunk, microseconds
	idle, open    float64   // resident memory at rest, and what an open stream adds; bytes
}

func cpuPerChunk(s sample) float64 { return s.cpu / float64(max(s.chunks, 1)) }

func cpuPerTurn(s sample) float64 { return s.cpu / float64(max(s.turns, 1)) }

func firstChunk(s sample) float64 { return quantile(s.first, 0.50) }

// The promises for turns are those of whole turns, with beginning and end; those for
// long streams hold for chunks alone.
var workloads = []workload{
	{
		name: "turns", title: "100 streams, turns of 200 chunks, 20,000 chunks/s", chunks: 200, rate: 200, streams: 100,
		figures: []figure{
			{name: "CPU per chunk", unit: "us", must: 1.05, aim: 0.90, guarded: true, of: cpuPerChunk},
			{name: "p50 per chunk", unit: "us", must: 1.1, aim: 0.95, of: func(s sample) float64 { return quantile(s.latencies, 0.50) }},
			{name: "p99 per chunk", unit: "us", must: 1.5, aim: 0.8, of: func(s sample) float64 { return quantile(s.latencies, 0.99) }},
		},
	},
	{
		name: "short", title: "100 turns/s of 20 chunks", chunks: 20, perSecond: 100,
		figures: []figure{
			{name: "CPU per turn", unit: "us", must: 1.85, aim: 1.6, guarded: true, of: cpuPerTurn},
			{name: "first chunk", unit: "us", must: 1.5, aim: 1.3, of: firstChunk},
		},
	},
	{
		name: "shared", title: "the same with PostgreSQL and Redis", chunks: 20, perSecond: 100, shared: true,
		figures: []figure{
			{name: "CPU per turn", unit: "us", must: 2.2, aim: 1.9, guarded: true, of: cpuPerTurn},
			{name: "first chunk", unit: "us", must: 2.3, aim: 1.8, of: firstChunk},
		},
	},
	{
		name: "grown", title: "one turn after another in a chat of 5,000 messages", chunks: 20, streams: 1, grown: 2500,
		figures: []figure{
			{name: "CPU per turn", unit: "us", absolute: true, must: 8000, aim: 4000, of: cpuPerTurn},
			{name: "first chunk", unit: "us", absolute: true, of: firstChunk},
		},
	},
	{
		name: "flat", title: "64 turns of 500 chunks, as fast as it goes", chunks: 500, streams: 64,
		figures: []figure{
			{name: "CPU per chunk", unit: "us", must: 0.35, aim: 0.25, of: cpuPerChunk},
			{name: "chunks per second", unit: "/s", of: func(s sample) float64 { return float64(s.chunks) / s.seconds }},
		},
	},
	{
		name: "long", title: "20 long streams of 1,000 chunks/s", chunks: 150_000, rate: 1000, streams: 20,
		figures: []figure{
			{name: "CPU per chunk", unit: "us", must: 0.85, aim: 0.70, of: cpuPerChunk},
			{name: "p50 per chunk", unit: "us", must: 1.0, aim: 0.90, of: func(s sample) float64 { return quantile(s.latencies, 0.50) }},
			{name: "p99 per chunk", unit: "us", must: 1.0, aim: 0.50, of: func(s sample) float64 { return quantile(s.latencies, 0.99) }},
		},
	},
	{
		name: "longflat", title: "one stream, turns of 150,000 chunks, as fast as it goes", chunks: 150_000, streams: 1,
		figures: []figure{{name: "CPU per chunk", unit: "us", must: 0.60, aim: 0.54, of: cpuPerChunk}},
	},
	{
		name: held, title: "open streams, and none",
		figures: []figure{
			{name: "memory per stream", unit: "KiB", must: 0.80, aim: 0.70, of: func(s sample) float64 { return s.open / 1024 }},
			{name: "resident when idle", unit: "MB", absolute: true, must: 48, aim: 40, of: func(s sample) float64 { return s.idle / 1e6 }},
		},
	},
}

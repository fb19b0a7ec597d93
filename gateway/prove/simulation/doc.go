// Package simulation runs a fleet of a thousand nodes in one process, in synctest's time. Its tests say
// what happens to turns and viewers when the store is silent and when nodes are lost:
//
//	1,000 nodes ── 20 turns and 20 viewers each
//	   │ engines with their leases, sweeps and takeovers; readers for viewers
//	   v
//	line ── one store, which answers a limited number of calls a second, and at times none
//	hub ─── one for all nodes, as if Redis connected them
//	model ─ counts the requests for each turn
//
// The engines, the readers, the hub and the store are the gateway's own. The store is SQLite on a
// file in memory where the machine has a file system for that; package storetest tests it. A node is
// lost without a last word: its calls to the store fail, its model's streams break, and its viewers
// come back to other nodes.
package simulation

// Package redislimit is a limiter that several nodes share through Redis.
//
//	Allow ──> GCRA on the bucket's key (redis_rate, Redis' own clock)
//
//	Acquire ──> a place of this node ──> a place of all nodes: a member of a sorted
//	  │                                  set that lapses unless it is held again
//	  └──> release: gone at once. A killed node's places lapse within Lapse.
//
// A decision takes at most decide. The first failure opens the circuit: from then on, the node
// decides alone, at once and with the same rules, and tries Redis in the background until it
// accepts writes again. Then all nodes count the places held meanwhile. While nodes decide alone,
// each allows a caller the whole limit, less what it has allowed already.
package redislimit

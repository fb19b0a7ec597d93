// Package gateway assembles a gateway: from a configuration, a store and a list of tools, it makes
// the engine and its HTTP API.
//
//	Options ─ New ─> Gateway ─ Handler       serve it
//	                         ├ Run           background work: leases, expiry, take-over
//	                         └ Shutdown      drain, wait, hand over
//
// To follow a request, read gateway/host and gateway/native next, which take it over HTTP, then
// gateway/turn, the engine that carries it out.
package gateway

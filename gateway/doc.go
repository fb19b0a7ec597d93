// Package gateway assembles a gateway: from a configuration, a store and a list of tools, it makes
// the engine and its HTTP API.
//
//	Options ─ New ─> Gateway ─ Handler       serve it
//	                         ├ Run           background work: leases, expiry, take-over
//	                         └ Shutdown      drain, wait, hand over
package gateway

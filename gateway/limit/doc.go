// Package limit says how much a caller may do: requests per minute by token
// bucket with burst, and turns at the same time. It decides before any work is
// done; the model is never called for a refused request.
//
//	rules of the request          Allow: a token in every bucket? ── no ──> nothing taken,
//	(principal, app, ...)  ──────>          │ yes                           429 + Headers
//	                                        v
//	                              one token from each, the request goes on
//
//	a turn  ── Acquire: fewer than max running? ──> release when the run ends
//
// A bucket holds Burst tokens and gains PerMinute tokens a minute. It is named by
// Scope (a word from a closed set, told to the client and counted) and Key (who
// it belongs to: opaque, never told, logged or counted).
//
// Local keeps the buckets in this process. A limiter shared by several nodes
// belongs in a folder below and satisfies the same Limiter.
package limit

// Package limit says how much a caller may do: requests per minute by token bucket with burst,
// and turns at the same time. It decides before any work is done; the model is never called for a
// refused request.
//
//	a rule and its caller          Allow: a token in the bucket? ── no ──> 429 + Headers
//	(principal, app, ...)  ──────>          │ yes
//	                                        v
//	                               one token less, the request goes on
//
//	a turn  ── Acquire: fewer than max running? ──> release when the run ends
//
// A bucket holds Burst tokens and gains PerMinute tokens a minute. Its name consists of Scope (a
// word from a closed set, which clients and metrics see) and Key (its owner: opaque, never sent,
// logged or counted).
//
// A Decision can also report limits that others count, such as budgets of tokens.
//
// Local keeps the buckets in this process; redislimit shares them between nodes. Both pass the
// suite in limittest.
package limit

// Package token checks signed tokens (JWT, RFC 7519) against the key set of their issuer (JWKS,
// RFC 7517).
//
//	Verify ─> signed with an allowed algorithm ─> key of that id ─> signature ─> issuer, audience, times
//	                                                 │ unknown, or the set is old
//	                                                 v
//	                                     one fetch at a time, of the URL or the file
//
// The algorithms are asymmetric and chosen by the operator, never by the token, and a key is used
// only for an algorithm of its own kind (RFC 8725, 3.1 and 3.2): "none" and HMAC with a public
// key as its secret are refused before a key is looked up.
//
// The set is fetched when it is first needed, then from time to time, and when a token names a
// key that it does not have, as after a rotation. Tokens that name invented keys cannot make it
// fetch more often than every retry. While fetching fails, the last set stays in use, for at most
// a day.
package token

// Package clients has a client of each front for its conformance suite, written as the
// format's real clients are, and the native one to compare them with.
package clients

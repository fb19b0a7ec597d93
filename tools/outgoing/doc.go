// Package outgoing makes the HTTP clients of whatever tools call. The admin writes
// one address; nothing that comes later, be it from a model, from a response or from
// DNS, can lead a client elsewhere.
//
//	request ──> the origin that the admin wrote? ──no──> *RefusedError
//	              │ scheme, host and port; also for each redirect, at most three
//	              └─ dial ─> name resolved ─> may this host lead to this address?
//	                                            │ asked at connect time, of the very
//	                                            │ address that is connected to
//	                                            └─no──> *RefusedError
//
// Which addresses a host may lead to follows from how the admin wrote it, and not
// from what DNS said first: so it is the same after a restart and on every node, and
// an answer that changes between check and use (rebinding) changes nothing.
//
//	an IP address                  that address, whatever it is
//	a name of the inside           public, private (RFC 1918, fc00::/7), loopback and
//	                               shared (100.64.0.0/10) addresses
//	any other name                 public addresses
//	any other name, AllowPrivate   like a name of the inside
//
// A name of the inside is one that public DNS does not have: a single label
// ("glossary"), or one under a suffix that is set aside for it (localhost, local,
// internal, home.arpa, test, and those of RFC 6762, appendix G). No name, of whatever
// kind, leads to link-local, multicast, unspecified and reserved addresses, nor to
// where clouds serve metadata and credentials.
//
// Proxies of the environment are not used: behind one, the address that is connected
// to could not be known. Certificates are always verified.
package outgoing

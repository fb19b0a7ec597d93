// Package outgoing makes the HTTP clients for the addresses that tools call. The admin
// configures one address. Nothing that comes later, from a model, a response or DNS, can lead
// the client to another one.
//
//	request ──> the configured origin? ──no──> *RefusedError
//	              │ scheme, host and port; also for each redirect, at most three
//	              └─ dial ─> name resolved ─> may this host lead to this address?
//	                                            │ checked at connect time, for the
//	                                            │ address of the connection
//	                                            └─no──> *RefusedError
//
// The addresses that a host may lead to depend on the configured host, not on the first DNS
// answer. So they are the same after a restart and on every node, and a DNS answer that
// changes between check and use (rebinding) has no effect.
//
//	an IP address                  that address, of any kind
//	an internal name               public, private (RFC 1918, fc00::/7), loopback and
//	                               shared (100.64.0.0/10) addresses
//	any other name                 public addresses
//	any other name, AllowPrivate   like an internal name
//
// An internal name is one that does not exist in public DNS: a single label ("glossary"), or
// a name under a reserved suffix (localhost, local, internal, home.arpa, test, and those of
// RFC 6762, appendix G). No name of any kind may lead to link-local, multicast, unspecified
// or reserved addresses, or to the addresses where clouds serve metadata and credentials.
//
// Proxies from the environment are not used: with a proxy, the address of the connection
// would be unknown. Certificates are always verified.
package outgoing

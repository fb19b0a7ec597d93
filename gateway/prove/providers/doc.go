// Package providers proves that today's providers accept what the gateway sends, and get back the
// state that they hand out: one suite of conversations over the strict servers of all providers,
// through the real engine, a real store and the real clients.
//
//	scene ──> gateway/turn ──> client of the provider ──> strict.Server
//	  │             │                                         │
//	  │           store                        Refusals, Flaws, Counted
//	  └── what people see
//
// <─────────────────────────────────────┘
//
// A scene scripts the model, plays the person, and then checks with the servers that nothing was
// refused except parameters that are learned once, that no state was lost, changed or sent to
// another server, and that tokens are counted as the server counted them.
package providers

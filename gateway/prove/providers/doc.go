// Package providers proves that today's providers accept what the gateway sends, and get back what
// they hand out: one suite of conversations over the strict servers of all providers, through the
// real engine, a real store and the real clients.
//
//	scene ──> gateway/turn ──> client of the provider ──> strict.Server
//	  │             │                                         │
//	  │           store                        Refusals, Flaws, Counted
//	  └── what people see <─────────────────────────────────────┘
//
// A scene scripts what the model does, plays the person, and then holds against the servers that
// nothing was refused but parameters that are learnt once, that no state was lost, changed or told to
// strangers, and that tokens are counted as the server counted them.
package providers

// Package client asks people from a Go program, through a gateway:
//
//	c, err := client.New(client.Options{URL: "https://ask.example.org", Key: os.Getenv("ASKGATE_KEY")})
//	asked, err := c.Ask(ctx, "assistant", client.Asking{Questions: []client.Question{{
//		Question: "Deploy now?", Options: []client.Option{{Label: "yes"}, {Label: "no"}},
//	}}})
//	closed, err := c.Wait(ctx, asked.ID)    // for days, if need be
//	for _, v := range closed.Values() { ... }
//
// # What it survives
//
// Until a question is stored, a gateway that cannot be reached is retried for Options.Patience:
//
//	Ask ── POST, always the same idempotencyKey ──> stored, once
//	Wait ── GET ?wait=55, again and again ────────> closed
//
// From then on nothing is lost while no one waits, so Wait and Events continue through lost
// connections, restarts and moves to another node until their context ends.
// What the gateway refuses (*Problem) is final, and returned at once.
//
// A Client is safe for concurrent use.
package client

package client_test

import (
	"context"
	"fmt"
	"os"

	"github.com/askgate/askgate/gateway/client"
)

// A deployment waits for a person to approve it.
func Example() {
	ask := func(ctx context.Context) error {
		c, err := client.New(client.Options{URL: "https://ask.example.org", Key: os.Getenv("ASKGATE_KEY")})
		if err != nil {
			return err
		}
		asked, err := c.Ask(ctx, "assistant", client.Asking{
			ToRole:    "oncall",
			Questions: []client.Question{{Question: "Deploy now?", Options: []client.Option{{Label: "yes"}, {Label: "no"}}}},
		})
		if err != nil {
			return err // a *client.Problem if the gateway refused it
		}
		closed, err := c.Wait(ctx, asked.ID) // through restarts, until ctx ends
		if err != nil {
			return err
		}
		fmt.Println(closed.State, closed.Values())
		return nil
	}
	_ = ask
}

package chat

import "github.com/askgate/askgate/tools"

// MaxClientTools is the maximum size of all ClientTools of a turn, in bytes.
const MaxClientTools = 256 << 10

// ClientTools are the tools that the client of a turn brought with its newest request, and runs
// itself. They are stored with the chat as long as the turn may go on; those of a newer turn replace
// them.
type ClientTools struct {
	TurnID string
	Tools  []tools.Definition
}

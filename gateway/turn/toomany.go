package turn

import (
	"fmt"

	"github.com/askgate/askgate/gateway/turn/prompt"
	"github.com/askgate/askgate/tools"
)

// maxCalls is how many calls of one step are carried out: as many as stand in one message.
const maxCalls = prompt.MaxCalls

var tooMany = &tools.Error{
	Code:    tools.CodeCancelled,
	Message: fmt.Sprintf("This call was not run: only the first %d calls of one step are. Make it again if it is still needed.", maxCalls),
}

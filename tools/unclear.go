package tools

const (
	// UnclearArguments replaces arguments that cannot be assigned to a call: a server sent pieces
	// of several calls, and a piece may belong to more than one of them. It is not JSON, and no
	// call runs with it.
	UnclearArguments = "<pieces of several calls>"
	// UnclearFault is the message to the model about UnclearArguments.
	UnclearFault = "arguments of several calls are mixed up: call again, one call at a time"
)

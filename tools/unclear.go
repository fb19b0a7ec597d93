package tools

const (
	// UnclearArguments stands for arguments whose call nobody can tell: a server sent pieces of
	// several calls, and a piece may belong to more than one of them. It is not JSON, and no call
	// runs with it.
	UnclearArguments = "<pieces of several calls>"
	// UnclearFault tells the model what is wrong with UnclearArguments.
	UnclearFault = "arguments of several calls are mixed up: call again, one call at a time"
)

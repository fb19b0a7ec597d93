package config

// Options says where the configuration comes from.
type Options struct {
	// Dir is the configuration directory; "" means the built-in configuration.
	Dir string
	// Env looks up environment variables; nil means os.LookupEnv.
	Env func(name string) (string, bool)
	// Overrides are the values of the command line, which take precedence over all others.
	Overrides Overrides
	// Insecure allows auth.mode none on addresses other than loopback.
	Insecure bool
	// Checking makes faults of what a gateway can start without, such as a missing folder of documents.
	// Otherwise they are warnings.
	Checking bool
	// Tools are the types of tools that the program has, in addition to ask_user.
	Tools []ToolType
	// Question checks a question in the files, given as the fields of ask_user; listed means that
	// its options come from a tool. Optional.
	Question func(question []byte, listed bool) error
	// serving is the address on which the process already listens, even if the files have
	// another by now; "" before it listens.
	serving string
}

// Overrides are the values of flags; nil: not given. Order of precedence:
// flag, then ASKGATE_LISTEN and its siblings, then the file, then the default.
type Overrides struct {
	Listen      *string // --listen, ASKGATE_LISTEN
	AdminListen *string // --admin-listen, ASKGATE_ADMIN_LISTEN
	Store       *string // --store, ASKGATE_STORE
	Redis       *string // --redis, ASKGATE_REDIS
}

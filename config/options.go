package config

// Options says where the configuration comes from.
type Options struct {
	// Dir is the configuration directory; "" is the built-in one.
	Dir string
	// Env looks up environment variables; nil is os.LookupEnv.
	Env func(name string) (string, bool)
	// Overrides are the command line's values, which win over everything.
	Overrides Overrides
	// Insecure allows auth.mode none on other addresses than loopback.
	Insecure bool
	// Tools are the types of tools that the program has, besides ask_user.
	Tools []ToolType
	// Question judges a question that an admin wrote, as the fields of ask_user; listed: a
	// tool lists its options. Optional.
	Question func(question []byte, listed bool) error
	// serving is where the process listens already, whatever the files say since
	// then; "" before it does.
	serving string
}

// Overrides are values given by flags; nil: not given. Order of precedence:
// flag, then ASKGATE_LISTEN and its siblings, then the file, then the default.
type Overrides struct {
	Listen      *string // --listen, ASKGATE_LISTEN
	AdminListen *string // --admin-listen, ASKGATE_ADMIN_LISTEN
	Store       *string // --store, ASKGATE_STORE
	Redis       *string // --redis, ASKGATE_REDIS
}

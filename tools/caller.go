package tools

// Caller is the person on whose behalf the tools of a turn are called: always the owner of its chat, not the one who
// answers or approves. Of a question without a turn it is the asker.
type Caller struct {
	Tenant  string
	Subject string
	App     string // id
	Chat    string // the chat's id, as clients know it
	// Claims are the texts and numbers among the claims of the caller's token that the configuration
	// names, by their names there. Claims that are missing, or of another type, are left out.
	Claims map[string]string
}

// Personal is a tool whose calls depend on the caller.
type Personal interface {
	Tool
	// As returns the tool for one caller, of the same type. It does not block. If it cannot be called
	// for this caller, its Run fails.
	As(who Caller) Tool
}

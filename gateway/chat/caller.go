package chat

// KeptCaller is what is stored of a person for whom tools are called: the claims of the person's token
// that the configuration names.
type KeptCaller struct {
	// Of is what will call the tools: the id of a turn, of a queued message, or of a program's question.
	Of              string
	Tenant, Subject string // whose claims they are
	Claims          string // sealed
}

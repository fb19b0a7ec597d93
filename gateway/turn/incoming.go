package turn

// incoming is what a client sent, on its way into its chat.
type incoming struct {
	*update
	next  *transition // what comes of it
	judge judge
	look  bool // the chat must be known to be readable
}

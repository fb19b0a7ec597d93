package turn

// incoming is a client's command while it is being taken into its chat.
type incoming struct {
	*update
	next  *transition // the resulting transition
	judge judge
	look  bool // refuse unless the chat is known to be readable
}

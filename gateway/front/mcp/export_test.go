package mcp

// Take handles a message of a caller's.
func (f *Front) Take(c caller, data []byte) error { return f.take(c, data) }

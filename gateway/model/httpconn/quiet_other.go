//go:build !unix

package httpconn

import "net"

// quiet returns true, since it cannot check a connection here: one that the server has closed is
// noticed when it is used.
func quiet(net.Conn) bool { return true }

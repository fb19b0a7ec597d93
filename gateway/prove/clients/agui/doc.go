// Package agui runs the clients of AG-UI that people use against the gateway. There are only
// tests in it.
package agui

// Package agui runs the AG-UI clients that people use against the gateway. It contains only tests.
package agui

// Package copilotkit runs CopilotKit's core, which its React and Angular packages stand on,
// against the gateway. There are only tests in it.
package copilotkit

// Package copilotkit runs CopilotKit's core, on which its React and Angular packages are built,
// against the gateway. It contains only tests.
package copilotkit

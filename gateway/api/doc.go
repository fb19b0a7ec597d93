// Package api assembles the gateway's HTTP interface: lists of routes (routes.go) of the
// gateway's own protocol, of admins and operators, and of the fronts. Package gateway/host
// describes what a request passes before its handler.
package api

// Package api puts the gateway's HTTP face together: its routes are lists (routes.go), of the
// gateway's own protocol, of admins and operators, and of the fronts. What a request passes
// before its handler, gateway/host says.
package api

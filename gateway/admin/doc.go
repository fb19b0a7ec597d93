// Package admin serves admins and operators: health and metrics, what askgate doctor listens to,
// and /v1/admin, which is for callers with the role. The latter reports the current configuration
// and the pending questions, without any text of a person. Each of its types lists the fields
// that are published.
package admin

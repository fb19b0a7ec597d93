// Package admin has what admins and operators see and do: health and metrics, what askgate doctor
// listens to, and /v1/admin, which is for callers with the role. That reports the configuration in
// force and the questions that are pending, without any text of a person. Each of its types lists
// the fields that are published.
package admin

// Package chart holds the Helm chart of deploy/helm to the kustomize files of deploy/kubernetes: a
// module of its own, as Helm and Kubernetes' types are large. Nothing shipped imports it.
//
//	deploy/helm/askgate ── Helm ───────> objects ──┐
//	                                               ├── strictly into k8s.io/api's types, and compared
//	deploy/kubernetes ──── kustomize ──> objects ──┘
//
// With its own values the chart makes what kustomize makes; what a value changes is tested one by one.
package chart

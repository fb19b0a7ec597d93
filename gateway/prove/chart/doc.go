// Package chart compares the Helm chart of deploy/helm with the kustomize files of
// deploy/kubernetes. It is a separate module because the types of Helm and Kubernetes are large.
// Nothing shipped imports it.
//
//	deploy/helm/askgate ── Helm ───────> objects ──┐
//	                                               ├── strictly into k8s.io/api's types, and
//
// compared
//
//	deploy/kubernetes ──── kustomize ──> objects ──┘
//
// With its default values the chart creates what kustomize creates; the effect of each value is
// tested one by one.
package chart

package chart

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	strict "sigs.k8s.io/json"
)

const (
	chartFolder = "../../../deploy/helm/askgate"
	kustomize   = "../../../deploy/kubernetes"
)

type object = map[string]any

// kinds are Kubernetes' own types of the objects that are deployed.
var kinds = map[string]func() any{
	"v1 ServiceAccount":                      func() any { return new(corev1.ServiceAccount) },
	"v1 ConfigMap":                           func() any { return new(corev1.ConfigMap) },
	"v1 Service":                             func() any { return new(corev1.Service) },
	"apps/v1 Deployment":                     func() any { return new(appsv1.Deployment) },
	"policy/v1 PodDisruptionBudget":          func() any { return new(policyv1.PodDisruptionBudget) },
	"autoscaling/v2 HorizontalPodAutoscaler": func() any { return new(autoscalingv2.HorizontalPodAutoscaler) },
	"networking.k8s.io/v1 NetworkPolicy":     func() any { return new(networkingv1.NetworkPolicy) },
	// The Prometheus operator's, which no library of Kubernetes contains.
	"monitoring.coreos.com/v1 ServiceMonitor": func() any { return &object{} },
}

// decode adds the objects of a YAML text to those by kind, in Kubernetes' types: an unknown or
// duplicate field is an error.
func decode(t *testing.T, objects map[string]object, text string) {
	t.Helper()
	for _, doc := range strings.Split("\n"+text, "\n---") {
		data, err := yaml.YAMLToJSONStrict([]byte(doc))
		if err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		var meta struct{ APIVersion, Kind string }
		if err := json.Unmarshal(data, &meta); err != nil {
			t.Fatal(err)
		}
		if meta.Kind == "" { // nothing but comments
			continue
		}
		kind := meta.APIVersion + " " + meta.Kind
		made := kinds[kind]
		if made == nil {
			t.Fatalf("no type for %s", kind)
		}
		typed := made()
		if faults, err := strict.UnmarshalStrict(data, typed); err != nil || len(faults) > 0 {
			t.Errorf("%s: %v %v", kind, err, faults)
		}
		if objects[kind] != nil {
			t.Errorf("two of %s", kind)
		}
		whole, err := json.Marshal(typed)
		if err != nil {
			t.Fatal(err)
		}
		var o object
		if err := json.Unmarshal(whole, &o); err != nil {
			t.Fatal(err)
		}
		delete(o, "status") // empty in all of them
		objects[kind] = o
	}
}

// kustomized returns the objects that kustomize builds from a folder.
func kustomized(t *testing.T, folder string) map[string]object {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := made.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]object{}
	decode(t, objects, string(text))
	return objects
}

func load(t *testing.T) *helm.Chart {
	t.Helper()
	name := chartFolder
	if packed := os.Getenv("ASKGATE_TEST_CHART"); packed != "" {
		name = packed // an archive, as "make release" packs it
	}
	c, err := loader.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// files returns the output of Helm for the chart's templates with values, as YAML.
func files(t *testing.T, values string) (map[string]string, error) {
	t.Helper()
	var own object
	if err := yaml.UnmarshalStrict([]byte(values), &own); err != nil {
		t.Fatal(err)
	}
	c := load(t)
	all, err := util.ToRenderValues(c, own, common.ReleaseOptions{Name: "release", Namespace: "askgate", Revision: 1, IsInstall: true}, nil)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(c, all)
}

// helmed returns the objects that Helm creates with values.
func helmed(t *testing.T, values string) map[string]object {
	t.Helper()
	made, err := files(t, values)
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]object{}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if strings.HasSuffix(name, ".yaml") {
			decode(t, objects, made[name])
		}
	}
	return objects
}

// helmsOwn are the labels that only Helm sets.
var helmsOwn = []string{"app.kubernetes.io/managed-by", "helm.sh/chart"}

func alike(t *testing.T, made, want map[string]object) {
	t.Helper()
	if got, want := slices.Sorted(maps.Keys(made)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("Helm makes %q, kustomize %q", got, want)
	}
	for kind, o := range made {
		labels, _ := field(o, "metadata", "labels").(object)
		for _, name := range helmsOwn {
			if labels[name] == nil {
				t.Errorf("%s has no label %s", kind, name)
			}
			delete(labels, name)
		}
		a, b := indented(t, o), indented(t, want[kind])
		if a != b {
			t.Errorf("%s: Helm makes\n%s\nkustomize\n%s", kind, a, b)
		}
	}
}

func indented(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// field returns the value at a path of member names and indexes.
func field(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, _ := v.(object)
			v = o[p]
		case int:
			list, _ := v.([]any)
			if p >= len(list) {
				return nil
			}
			v = list[p]
		}
	}
	return v
}

// The image's tag is the chart's version in one, and "latest" in the other.
func TestTheChartMakesWhatKustomizeMakes(t *testing.T) {
	want := kustomized(t, kustomize)
	if len(want) != 7 {
		t.Fatalf("kustomize makes %d objects", len(want))
	}
	alike(t, helmed(t, `image: {tag: latest}`), want)
}

func TestTheChartsServiceMonitorIsThatOfTheComponent(t *testing.T) {
	base, err := filepath.Abs(kustomize)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	from, err := filepath.Rel(dir, base)
	if err != nil {
		t.Fatal(err)
	}
	overlay := "resources: [" + from + "]\ncomponents: [" + from + "/monitoring]\n"
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(overlay), 0o600); err != nil {
		t.Fatal(err)
	}
	want := kustomized(t, dir)
	made := helmed(t, `{image: {tag: latest}, serviceMonitor: {enabled: true}}`)
	const monitor = "monitoring.coreos.com/v1 ServiceMonitor"
	// A component does not inherit the base's labels.
	delete(field(made[monitor], "metadata", "labels").(object), "app.kubernetes.io/part-of")
	alike(t, made, want)
}

func TestEachValueArrives(t *testing.T) {
	const (
		deployment = "apps/v1 Deployment"
		policy     = "networking.k8s.io/v1 NetworkPolicy"
		scaler     = "autoscaling/v2 HorizontalPodAutoscaler"
		config     = "v1 ConfigMap"
	)
	pod := []any{"spec", "template", "spec"}
	container := append(slices.Clone(pod), "containers", 0)
	for _, tt := range []struct {
		values, kind string
		path         []any
		want         string // as JSON
	}{
		{`{}`, deployment, append(slices.Clone(container), "image"), `"registry.example.org/askgate:` + load(t).Metadata.AppVersion + `"`},
		{`image: {repository: ghcr.example/askgate, digest: "sha256:` + strings.Repeat("a", 64) + `"}`, deployment, append(slices.Clone(container), "image"), `"ghcr.example/askgate@sha256:` + strings.Repeat("a", 64) + `"`},
		{`image: {pullSecrets: [{name: pull}]}`, deployment, append(slices.Clone(pod), "imagePullSecrets"), `[{"name":"pull"}]`},
		{`name: other`, deployment, []any{"spec", "selector"}, `{"matchLabels":{"app.kubernetes.io/name":"other"}}`},
		{`name: other`, "v1 Service", []any{"spec", "selector"}, `{"app.kubernetes.io/name":"other"}`},
		{`name: other`, policy, []any{"spec", "podSelector"}, `{"matchLabels":{"app.kubernetes.io/name":"other"}}`},
		{`name: other`, scaler, []any{"spec", "scaleTargetRef", "name"}, `"other"`},
		{`secret: mine`, deployment, append(slices.Clone(container), "env", 1, "valueFrom", "secretKeyRef"), `{"key":"store","name":"mine"}`},
		{`config: {gateway.json: "{}", apps/a.json: "{\"id\": \"a\"}"}`, config, []any{"data"}, `{"apps--a.json":"{\"id\": \"a\"}","gateway.json":"{}"}`},
		{`config: {gateway.json: "{}", apps/a.json: "{}"}`, deployment, append(slices.Clone(pod), "volumes", 0, "configMap", "items"), `[{"key":"apps--a.json","path":"apps/a.json"},{"key":"gateway.json","path":"gateway.json"}]`},
		{`env: [{name: OTEL_SERVICE_NAME, value: chat}]`, deployment, append(slices.Clone(container), "env", 7), `{"name":"OTEL_SERVICE_NAME","value":"chat"}`},
		{`{}`, deployment, append(slices.Clone(container), "volumeMounts", 1), `{"mountPath":"/data","name":"data"}`},
		{`dataSizeLimit: 4Gi`, deployment, append(slices.Clone(pod), "volumes", 1), `{"emptyDir":{"sizeLimit":"4Gi"},"name":"data"}`},
		{`volumes: [{name: documents, emptyDir: {}}]`, deployment, append(slices.Clone(pod), "volumes", 2), `{"emptyDir":{},"name":"documents"}`},
		{`volumeMounts: [{name: documents, mountPath: /srv/documents}]`, deployment, append(slices.Clone(container), "volumeMounts", 2), `{"mountPath":"/srv/documents","name":"documents"}`},
		{`{autoscaling: {enabled: false}, replicas: 3}`, deployment, []any{"spec", "replicas"}, `3`},
		{`{autoscaling: {enabled: false}}`, scaler, nil, `null`},
		{`autoscaling: {streams: 500}`, scaler, []any{"spec", "metrics", 0, "pods", "target", "averageValue"}, `"500"`},
		{`autoscaling: {maxReplicas: 20}`, scaler, []any{"spec", "maxReplicas"}, `20`},
		{`resources: {limits: {memory: 1Gi}}`, deployment, append(slices.Clone(container), "resources", "limits"), `{"memory":"1Gi"}`},
		{`terminationGracePeriodSeconds: 90`, deployment, append(slices.Clone(pod), "terminationGracePeriodSeconds"), `90`},
		{`podAnnotations: {a: b}`, deployment, []any{"spec", "template", "metadata", "annotations"}, `{"a":"b"}`},
		{`{nodeSelector: {disk: ssd}}`, deployment, append(slices.Clone(pod), "nodeSelector"), `{"disk":"ssd"}`},
		{`{tolerations: [{key: a, operator: Exists}]}`, deployment, append(slices.Clone(pod), "tolerations"), `[{"key":"a","operator":"Exists"}]`},
		{`networkPolicy: {enabled: false}`, policy, nil, `null`},
		{`networkPolicy: {store: {port: 6432}}`, policy, []any{"spec", "egress", 1, "ports", 0, "port"}, `6432`},
		{`networkPolicy: {egress: [{to: [{ipBlock: {cidr: 10.1.2.3/32}}]}]}`, policy, []any{"spec", "egress", 4}, `{"to":[{"ipBlock":{"cidr":"10.1.2.3/32"}}]}`},
	} {
		got := field(helmed(t, tt.values)[tt.kind], tt.path...)
		if o, isObject := got.(object); isObject && len(o) == 0 {
			got = nil
		}
		if text, err := json.Marshal(got); err != nil || string(text) != tt.want {
			t.Errorf("%s: %s %v is %s, want %s", tt.values, tt.kind, tt.path, text, tt.want)
		}
	}
}

func TestAValueThatIsNotKnownIsRefused(t *testing.T) {
	for _, values := range []string{
		`nmae: other`, `name: Other`, `image: {tga: "1"}`, `image: {digest: latest}`, `replicas: 0`, `config: {gateway.json: {}}`, `config: {a/b/c.json: "{}"}`,
		`config: {"../a.json": "{}"}`, `networkPolicy: {stores: {}}`, `dataSizeLimit: lots`,
	} {
		if _, err := files(t, values); err == nil {
			t.Errorf("%s is taken", values)
		}
	}
}

func TestTheNotesNameTheSecret(t *testing.T) {
	made, err := files(t, `secret: mine`)
	if err != nil {
		t.Fatal(err)
	}
	if notes := made["askgate/templates/NOTES.txt"]; !strings.Contains(notes, "create secret generic mine") {
		t.Errorf("the notes say %q", notes)
	}
}

// These tests check deploy/ against the code and the documentation.
package main_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/askgate/askgate/config"
)

var deployed = filepath.Join(root, "deploy")

// unpack reads a file of deploy/ into v.
func unpack(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deployed, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, v); err != nil { // JSON is YAML
		t.Fatalf("%s: %v", name, err)
	}
}

// rule is a Prometheus rule: an alert, or a recording rule.
type rule struct {
	Alert, Record, Expr string
	Labels, Annotations map[string]string
}

func rules(t *testing.T) []rule {
	t.Helper()
	var list []rule
	for _, name := range []string{"recording.yml", "alerts.yml"} {
		var file struct{ Groups []struct{ Rules []rule } }
		unpack(t, "prometheus/rules/"+name, &file)
		for _, g := range file.Groups {
			list = append(list, g.Rules...)
		}
	}
	return list
}

// panel is a Grafana panel.
type panel struct {
	Title, Type, Description string
	Targets                  []struct{ Expr string }
}

func panels(t *testing.T) []panel {
	t.Helper()
	var dashboard struct{ Panels []panel }
	unpack(t, "grafana/dashboards/askgate.json", &dashboard)
	return slices.DeleteFunc(dashboard.Panels, func(p panel) bool { return p.Type == "row" })
}

// Rules and panels use only metrics of the code and recorded series, and each recorded series is used.
func TestRulesAndPanelsReadWhatThereIs(t *testing.T) {
	inCode, recorded, read := metricsInCode(t), map[string]bool{}, map[string]bool{}
	type expression struct{ where, text string }
	var all []expression
	for _, r := range rules(t) {
		if r.Record != "" {
			recorded[r.Record] = true
		}
		all = append(all, expression{r.Alert + r.Record, r.Expr})
	}
	for _, p := range panels(t) {
		if len(p.Targets) == 0 || p.Description == "" {
			t.Errorf("panel %q says or shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			all = append(all, expression{p.Title, target.Expr})
		}
	}
	var adapter struct {
		Rules struct {
			Custom []struct{ SeriesQuery string }
		}
	}
	unpack(t, "kubernetes/prometheus-adapter.yaml", &adapter)
	all = append(all, expression{"the adapter", adapter.Rules.Custom[0].SeriesQuery})

	name := regexp.MustCompile(`[a-z_]+:askgate_[a-z0-9_]+:[a-z0-9_]+|\baskgate_[a-z0-9_]+`)
	for _, e := range all {
		found := name.FindAllString(e.text, -1)
		for _, s := range found {
			read[s] = true
			switch {
			case strings.Contains(s, ":"):
				if !recorded[s] {
					t.Errorf("%s reads %s, which no rule records", e.where, s)
				}
			case inCode[s] == "" && inCode[plainMetric(s)] == "":
				t.Errorf("%s reads %s, which no code has", e.where, s)
			}
		}
	}
	for s := range recorded {
		if !read[s] {
			t.Errorf("no rule or panel reads %s", s)
		}
	}
}

// Each alert has a section in the runbooks, and a unit test in which it fires; and each section has an
// alert.
func TestAlertsAreExplainedAndTested(t *testing.T) {
	book, err := os.ReadFile(filepath.Join(root, "docs", "runbooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(string(book), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		sections[title] = text
	}
	type test struct {
		AlertRuleTest []struct {
			Alertname string `yaml:"alertname"`
			ExpAlerts []any  `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	}
	var tests struct{ Tests []test }
	unpack(t, "prometheus/tests/alerts_test.yml", &tests)
	fires, rests := map[string]bool{}, map[string]bool{}
	for _, c := range tests.Tests {
		for _, a := range c.AlertRuleTest {
			if len(a.ExpAlerts) > 0 {
				fires[a.Alertname] = true
			} else {
				rests[a.Alertname] = true
			}
		}
	}
	const runbooks = "https://github.com/askgate/askgate/blob/main/docs/runbooks.md#"
	for _, r := range rules(t) {
		if r.Alert == "" {
			continue
		}
		if want := runbooks + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want {
			t.Errorf("%s leads to %q, not to %s", r.Alert, r.Annotations["runbook_url"], want)
		}
		for _, part := range []string{"**Means**", "**Find out**", "**Do**"} {
			if !strings.Contains(sections[r.Alert], part) {
				t.Errorf("docs/runbooks.md has no %s for %s", part, r.Alert)
			}
		}
		if !fires[r.Alert] {
			t.Errorf("no unit test lets %s fire", r.Alert)
		}
		if !rests[r.Alert] {
			t.Errorf("no unit test says when %s does not fire", r.Alert)
		}
		if !slices.Contains([]string{"critical", "warning", "info"}, r.Labels["severity"]) {
			t.Errorf("%s has severity %q", r.Alert, r.Labels["severity"])
		}
		delete(sections, r.Alert)
	}
	for s := range sections {
		t.Errorf("docs/runbooks.md explains %s, which is not an alert", s)
	}
}

// .dockerignore excludes everything that it does not list, so each folder with packages must be listed.
func TestTheImageIsBuiltFromAllPackages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	let := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			let[name] = true
		}
	}
	for _, f := range house(t) {
		folder, _, _ := strings.Cut(f.name, "/")
		if !f.test && !let[folder] && !let[f.name] {
			t.Errorf("%s is not in the image's context: .dockerignore has no !%s", f.name, folder)
		}
	}
}

// The mounts and the build context of Compose exist in the repository, its secrets come from .env, and
// every variable in .env.example is used.
func TestComposeNamesWhatThereIs(t *testing.T) {
	type service struct {
		Build           struct{ Context string }
		Volumes, Ports  []string
		Environment     map[string]string
		StopGracePeriod string `yaml:"stop_grace_period"`
		Image           string
	}
	var compose struct {
		Services map[string]service
		Volumes  map[string]any
	}
	unpack(t, "compose/compose.yaml", &compose)
	folder := filepath.Join(deployed, "compose")
	exists := func(name string) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Errorf("compose.yaml: %v", err)
		}
	}
	if len(compose.Services) != 5 {
		t.Fatalf("%d services", len(compose.Services))
	}
	for name, s := range compose.Services {
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, named := compose.Volumes[from]; !named {
				exists(from)
			}
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s is open to the network: %s", name, p)
			}
		}
	}
	gateway := compose.Services["askgate"]
	exists(filepath.Join(gateway.Build.Context, "Dockerfile"))
	if grace, err := time.ParseDuration(gateway.StopGracePeriod); err != nil || grace < shutdownTakes {
		t.Errorf("compose stops the gateway after %s, and it takes %s", gateway.StopGracePeriod, shutdownTakes)
	}
	text, err := os.ReadFile(filepath.Join(folder, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(folder, ".env.example"))
	if err != nil {
		t.Fatal(err)
	}
	offered := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(string(example), -1) {
		offered[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`\$\{(\w+)`).FindAllStringSubmatch(string(text), -1) {
		if _, ok := offered[m[1]]; !ok {
			t.Errorf(".env.example does not tell of %s", m[1])
		}
	}
	for name, value := range offered {
		if !strings.Contains(string(text), "${"+name) {
			t.Errorf(".env.example tells of %s, which compose.yaml does not read", name)
		}
		if strings.Contains(name, "PASSWORD") && value != "" {
			t.Errorf(".env.example has a %s", name)
		}
	}
}

// No service of Compose has rights that it does not need, each image can be pinned by digest, and Redis
// requires a password and keeps its counters.
func TestComposeIsHardened(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Image, User string
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
			Security    []string `yaml:"security_opt"`
			Privileged  bool
			Environment map[string]string
			Command     []string
		}
	}
	unpack(t, "compose/compose.yaml", &compose)
	for name, s := range compose.Services {
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.Security, "no-new-privileges:true") || s.Privileged {
			t.Errorf("%s has more rights than it needs: %+v", name, s)
		}
		if user, _, _ := strings.Cut(s.User, ":"); user == "" || user == "0" || user == "root" {
			t.Errorf("%s runs as %q", name, s.User)
		}
		if want := "${" + strings.ToUpper(name) + "_IMAGE:-"; name != "askgate" && !strings.HasPrefix(s.Image, want) {
			t.Errorf("%s cannot be pinned: %s", name, s.Image)
		}
	}
	redis := strings.Join(compose.Services["redis"].Command, " ")
	for _, part := range []string{"--maxmemory-policy noeviction", `--requirepass "$$REDISCLI_AUTH"`} {
		if !strings.Contains(redis, part) {
			t.Errorf("Redis runs without %s", part)
		}
	}
	if url := compose.Services["askgate"].Environment["ASKGATE_REDIS"]; !strings.Contains(url, "${REDIS_PASSWORD") {
		t.Errorf("the gateway has no password for Redis: %s", url)
	}
}

// Prometheus scrapes the gateway of Compose by a name that is in its "hosts".
func TestPrometheusIsAnswered(t *testing.T) {
	s, err := config.Load(config.Options{Dir: filepath.Join(deployed, "compose", "conf"), Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(s.Gateway.Hosts, "askgate") {
		t.Errorf("hosts %q", s.Gateway.Hosts)
	}
	var prometheus struct {
		ScrapeConfigs []struct {
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	unpack(t, "prometheus/prometheus.yml", &prometheus)
	if targets := prometheus.ScrapeConfigs[0].StaticConfigs[0].Targets; !slices.Equal(targets, []string{"askgate:9090"}) {
		t.Errorf("targets %q", targets)
	}
}

// The network policy allows pods to reach the namespaces in the example of the secret.
func TestThePolicyLetsTheStoreThrough(t *testing.T) {
	var secret struct {
		StringData map[string]string `yaml:"stringData"`
	}
	unpack(t, "kubernetes/secret.example.yaml", &secret)
	type labels struct {
		Match map[string]string `yaml:"matchLabels"`
	}
	var policy struct {
		Spec struct {
			Egress []struct {
				To []struct {
					Namespace labels `yaml:"namespaceSelector"`
				}
				Ports []struct{ Port int }
			}
		}
	}
	unpack(t, "kubernetes/networkpolicy.yaml", &policy)
	for _, name := range []string{"store", "redis"} {
		u, err := url.Parse(secret.StringData[name])
		if err != nil {
			t.Fatal(err)
		}
		namespace := strings.Split(u.Hostname(), ".")[1]
		let := false
		for _, rule := range policy.Spec.Egress {
			for _, to := range rule.To {
				let = let || to.Namespace.Match["kubernetes.io/metadata.name"] == namespace && strconv.Itoa(rule.Ports[0].Port) == u.Port()
			}
		}
		if !let {
			t.Errorf("no rule lets the pods reach %s", u.Host)
		}
	}
}

// shutdownTakes is how long a shutdown may take: the default shutdownTimeout, three
// seconds for the last traces, and five for connections.
const shutdownTakes = 38 * time.Second

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// In the Kubernetes manifests, names refer to existing objects, probes use paths of the gateway, and
// the gateway has enough time to shut down.
func TestKubernetesFitsTheGateway(t *testing.T) {
	var list struct{ Resources []string }
	unpack(t, "kubernetes/kustomization.yaml", &list)
	ports := map[string]bool{}
	for _, name := range list.Resources {
		var object struct{ Kind string }
		unpack(t, "kubernetes/"+name, &object)
		if !strings.EqualFold(object.Kind+".yaml", name) {
			t.Errorf("%s has a %s", name, object.Kind)
		}
	}
	var d struct {
		Spec struct {
			Template struct {
				Spec struct {
					Grace           int  `yaml:"terminationGracePeriodSeconds"`
					Token           bool `yaml:"automountServiceAccountToken"`
					SecurityContext struct {
						NonRoot bool `yaml:"runAsNonRoot"`
						User    int  `yaml:"runAsUser"`
					} `yaml:"securityContext"`
					Containers []struct {
						Env []struct {
							Name      string
							Value     string
							ValueFrom struct {
								SecretKeyRef struct{ Key string } `yaml:"secretKeyRef"`
							} `yaml:"valueFrom"`
						}
						Ports          []struct{ Name string }
						StartupProbe   probe `yaml:"startupProbe"`
						ReadinessProbe probe `yaml:"readinessProbe"`
						LivenessProbe  probe `yaml:"livenessProbe"`
						Lifecycle      struct {
							PreStop struct{ Sleep struct{ Seconds int } } `yaml:"preStop"`
						}
						SecurityContext struct {
							ReadOnly bool `yaml:"readOnlyRootFilesystem"`
							Escalate bool `yaml:"allowPrivilegeEscalation"`
						} `yaml:"securityContext"`
					}
				}
			}
		}
	}
	unpack(t, "kubernetes/deployment.yaml", &d)
	pod := d.Spec.Template.Spec
	c := pod.Containers[0]
	if takes := shutdownTakes + time.Duration(c.Lifecycle.PreStop.Sleep.Seconds)*time.Second; time.Duration(pod.Grace)*time.Second <= takes {
		t.Errorf("the pod is killed after %d s, and takes %s to end", pod.Grace, takes)
	}
	if !pod.SecurityContext.NonRoot || pod.SecurityContext.User != 65532 || pod.Token || !c.SecurityContext.ReadOnly || c.SecurityContext.Escalate {
		t.Error("the pod has more rights than it needs")
	}
	for _, p := range c.Ports {
		ports[p.Name] = true
	}
	for want, probes := range map[string][]probe{"/readyz": {c.StartupProbe, c.ReadinessProbe}, "/healthz": {c.LivenessProbe}} {
		for _, p := range probes {
			if p.HTTPGet.Path != want || !ports[p.HTTPGet.Port] {
				t.Errorf("a probe asks %s at port %q, not %s", p.HTTPGet.Path, p.HTTPGet.Port, want)
			}
		}
	}
	var secret struct {
		StringData map[string]string `yaml:"stringData"`
	}
	unpack(t, "kubernetes/secret.example.yaml", &secret)
	for _, e := range c.Env {
		if key := e.ValueFrom.SecretKeyRef.Key; key != "" {
			if _, ok := secret.StringData[key]; !ok {
				t.Errorf("%s comes from the secret's %q, which the example does not have", e.Name, key)
			}
		}
	}
	var service struct {
		Spec struct {
			Ports []struct {
				TargetPort string `yaml:"targetPort"`
			}
		}
	}
	unpack(t, "kubernetes/service.yaml", &service)
	for _, p := range service.Spec.Ports {
		if !ports[p.TargetPort] {
			t.Errorf("the service leads to port %q", p.TargetPort)
		}
	}
}

// Every file of deploy/ is valid YAML, including those that no other test reads. The templates of the
// chart are YAML only after Helm has rendered them, which gateway/prove/chart tests.
func TestEveryFileOfDeployIsYAML(t *testing.T) {
	err := fs.WalkDir(os.DirFS(deployed), ".", func(name string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(name); (ext == ".yml" || ext == ".yaml") && !strings.Contains(name, "/templates/") {
			var v map[string]any
			unpack(t, name, &v)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

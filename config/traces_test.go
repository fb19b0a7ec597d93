package config_test

import (
	"strings"
	"testing"
)

const (
	collector = "OTEL_EXPORTER_OTLP_ENDPOINT"
	sound     = "http://127.0.0.1:4318"
)

// The environment turns traces on. A mistake there is a warning with the variable and a hint, but
// never the value; the gateway starts in any case.
func TestTracesOfTheEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		env  env
		on   bool
		want string // in the only warning; "" for none
	}{
		"nothing":           {env{}, false, ""},
		"empty":             {env{collector: " "}, false, ""},
		"collector":         {env{collector: sound}, true, ""},
		"its own collector": {env{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://secret.test/v1/traces", collector: "secret"}, true, ""},
		"disabled":          {env{collector: sound, "OTEL_SDK_DISABLED": "TRUE"}, false, ""},
		"no exporter":       {env{collector: sound, "OTEL_TRACES_EXPORTER": "none"}, false, ""},
		"no scheme":         {env{collector: "secret:4318"}, false, "OTEL_EXPORTER_OTLP_ENDPOINT: is not the address of a collector; write it like"},
		"password":          {env{collector: "http://u:secret@h:4318"}, false, "keys into OTEL_EXPORTER_OTLP_HEADERS"},
		"query":             {env{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": sound + "?key=secret"}, false, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: is not the address of a collector"},
		"other exporter":    {env{collector: sound, "OTEL_TRACES_EXPORTER": "secret"}, false, `set it to "otlp"`},
		"gRPC":              {env{collector: sound, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, `OTEL_EXPORTER_OTLP_PROTOCOL: names a protocol that is not supported; set it to "http/protobuf"`},
		"gRPC for others":   {env{collector: sound, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf"}, true, ""},
		"headers":           {env{collector: sound, "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20secret,x-scope=1"}, true, ""},
		"no header":         {env{collector: sound, "OTEL_EXPORTER_OTLP_HEADERS": "a=b,secret"}, true, "OTEL_EXPORTER_OTLP_HEADERS: has a header that is not sent"},
		"bare percent":      {env{collector: sound, "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "key=secret%"}, true, "percent-encode"},
		"sampler":           {env{collector: sound, "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.1"}, true, ""},
		"no sampler":        {env{collector: sound, "OTEL_TRACES_SAMPLER": "secret"}, true, `"traceidratio" for the share`},
		"no share":          {env{collector: sound, "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "10"}, true, "OTEL_TRACES_SAMPLER_ARG: is not a share of the turns, so every turn is traced; write a number from 0 to 1"},
	} {
		t.Run(name, func(t *testing.T) {
			snap, err := load(t, gateway(`{}`), c.env)
			if err != nil {
				t.Fatal(err)
			}
			if snap.Traces != c.on {
				t.Errorf("traces: %v", snap.Traces)
			}
			var said []string
			for _, w := range snap.Warnings {
				said = append(said, w.Error())
			}
			switch got := strings.Join(said, "\n"); {
			case c.want == "" && got != "", len(said) > 1, !strings.Contains(got, c.want):
				t.Errorf("warnings: %q, want one with %q", got, c.want)
			case strings.Contains(got, "secret"):
				t.Errorf("the value is shown: %s", got)
			}
		})
	}
}

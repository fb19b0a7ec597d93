package config

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// traces reports whether the standard environment variables of OpenTelemetry name a collector for
// traces that the gateway can use. Mistakes in them are only warnings, because a gateway works without
// traces.
func (p *pass) traces() bool {
	const prefix = "OTEL_EXPORTER_OTLP_"
	name, endpoint := p.first(prefix+"TRACES_ENDPOINT", prefix+"ENDPOINT")
	_, disabled := p.first("OTEL_SDK_DISABLED")
	exporterName, exporter := p.first("OTEL_TRACES_EXPORTER")
	protocolName, protocol := p.first(prefix+"TRACES_PROTOCOL", prefix+"PROTOCOL")
	if endpoint == "" || strings.EqualFold(disabled, "true") || exporter == "none" {
		return false
	}
	off := func(name, wrong string) {
		p.note(Fault{File: name, Message: wrong + "; until then no traces are sent"})
	}
	switch {
	case exporter != "" && exporter != "otlp":
		off(exporterName, `names an exporter that is not supported; set it to "otlp", or to "none" for no traces`)
	case !slices.Contains([]string{"", "http/protobuf", "http/json"}, protocol):
		off(protocolName, `names a protocol that is not supported; set it to "http/protobuf", and `+name+` to the collector's port for that (usually 4318)`)
	case badCollector(endpoint):
		off(name, `is not the address of a collector; write it like "http://127.0.0.1:4318", and put keys into `+prefix+"HEADERS")
	default:
		p.traceOptions(prefix)
		return true
	}
	return false
}

// traceOptions checks the variables that say how traces are sent.
func (p *pass) traceOptions(prefix string) {
	name, headers := p.first(prefix+"TRACES_HEADERS", prefix+"HEADERS")
	for pair := range strings.SplitSeq(headers, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if _, err := url.PathUnescape(value); headers != "" && (!ok || err != nil || strings.TrimSpace(key) == "") {
			p.note(Fault{File: name, Message: `has a header that is not sent; write name=value,name=value, and percent-encode commas and % in values`})
			break
		}
	}
	name, sampler := p.first("OTEL_TRACES_SAMPLER")
	argumentName, argument := p.first("OTEL_TRACES_SAMPLER_ARG")
	sampler = strings.TrimPrefix(strings.ToLower(sampler), "parentbased_")
	if !slices.Contains([]string{"", "always_on", "always_off", "traceidratio"}, sampler) {
		p.note(Fault{File: name, Message: `does not name a sampler, so every turn is traced; write "traceidratio" for the share in OTEL_TRACES_SAMPLER_ARG, or "always_on"`})
	}
	if share, err := strconv.ParseFloat(argument, 64); sampler == "traceidratio" && argument != "" && (err != nil || share < 0 || share > 1) {
		p.note(Fault{File: argumentName, Message: "is not a share of the turns, so every turn is traced; write a number from 0 to 1"})
	}
}

// first returns the first of these variables that is set, and its value; "" if none is.
func (p *pass) first(names ...string) (name, value string) {
	for _, name := range names {
		if v, _ := p.lookup(name); strings.TrimSpace(v) != "" {
			return name, strings.TrimSpace(v)
		}
	}
	return "", ""
}

func badCollector(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != ""
}

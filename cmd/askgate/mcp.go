package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/tooltypes/mcptool"
)

var (
	mcpUp       = prometheus.NewDesc("askgate_mcp_server_up", "1 if the MCP server is connected, 0 if it is not.", []string{"server"}, nil)
	mcpTools    = prometheus.NewDesc("askgate_mcp_server_tools", "Tools in the newest list from the MCP server.", []string{"server"}, nil)
	mcpSessions = prometheus.NewDesc("askgate_mcp_server_sessions", "Callers for whom the MCP server is connected.", []string{"server"}, nil)
)

// mcpCollector exports metrics about the MCP servers of the active configuration. Of several
// entries with the same id the worst counts. A server that is connected per caller has only sessions.
type mcpCollector struct{ pool *mcptool.Pool }

// Describe implements prometheus.Collector.
func (c *mcpCollector) Describe(out chan<- *prometheus.Desc) {
	out <- mcpUp
	out <- mcpTools
	out <- mcpSessions
}

// Collect implements prometheus.Collector.
func (c *mcpCollector) Collect(out chan<- prometheus.Metric) {
	worst, sessions := map[string]mcptool.Status{}, map[string]int{}
	for _, s := range c.pool.Statuses() {
		if s.PerCaller {
			sessions[s.ID] += s.Sessions
			continue
		}
		if w, ok := worst[s.ID]; !ok || w.Up && !s.Up || w.Up == s.Up && s.Tools < w.Tools {
			worst[s.ID] = s
		}
	}
	for id, s := range worst {
		up := 0.0
		if s.Up {
			up = 1
		}
		out <- prometheus.MustNewConstMetric(mcpUp, prometheus.GaugeValue, up, id)
		out <- prometheus.MustNewConstMetric(mcpTools, prometheus.GaugeValue, float64(s.Tools), id)
	}
	for id, n := range sessions {
		out <- prometheus.MustNewConstMetric(mcpSessions, prometheus.GaugeValue, float64(n), id)
	}
}

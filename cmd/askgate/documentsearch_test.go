package main

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// People can search without a model as a model does: filters, days, versions and errors are the tool's.
func TestPeopleSearchDocuments(t *testing.T) {
	p := start(t, "", map[string]string{
		"apps/law.json": `{"id": "law", "tools": ["laws"]}`, "apps/reader.json": `{"id": "reader", "tools": ["laws__read"]}`,
		"tools.json": `[{"id": "laws", "type": "documents", "documents": {"path": "laws", "fields": {"status": {"type": "enum"}, "rank": {"type": "number"}}, "versions": {"key": "id"}}}]`,
		"laws/a.md":  "---\nid: HC\nvalid_to: 2019-12-31\nstatus: repealed\n---\n# Harbour Code\n\n## Berths\n\nShips wait outside.",
		"laws/b.md":  "---\nid: HC\nvalid_from: 2020-01-01\nstatus: current\nrank: 2\n---\n# Harbour Code\n\n## Berths\n\nShips wait inside.",
	})
	const path = "/v1/apps/law/documents/laws?q=ships"
	waitFor(t, func() bool { return strings.Count(p.body("GET", path+"&versions=all", ""), `"id"`) == 2 })
	for query, want := range map[string]string{
		"":                                  "Harbour Code › Berths from 2020-01-01 to ",
		"&asOf=2019-12-31":                  "Harbour Code (– 2019-12-31) › Berths from  to 2019-12-31",
		"&filter={\"rank\":{\"after\":1}}":  "Harbour Code › Berths from 2020-01-01 to ",
		"&filter={\"status\":\"repealed\"}": "",
		"&versions=all&filter={\"status\":\"REPEALED\"}": "Harbour Code (– 2019-12-31) › Berths from  to 2019-12-31",
	} {
		name, value, _ := strings.Cut(query, "filter=")
		if value != "" {
			query = name + "filter=" + url.QueryEscape(value)
		}
		var found struct {
			Items []struct{ ID, Title, ValidFrom, ValidTo, WorkID string }
		}
		if err := json.Unmarshal([]byte(p.body("GET", path+query, "")), &found); err != nil {
			t.Fatal(query, err)
		}
		var got []string
		for _, i := range found.Items {
			got = append(got, i.Title+" from "+i.ValidFrom+" to "+i.ValidTo)
			var passage struct{ Title, ValidFrom, ValidTo, WorkID string }
			if err := json.Unmarshal([]byte(p.body("GET", "/v1/apps/law/documents/laws/"+i.ID, "")), &passage); err != nil || passage.Title != i.Title || passage.ValidFrom != i.ValidFrom || passage.ValidTo != i.ValidTo || passage.WorkID != "HC" {
				t.Errorf("%s: the passage is %+v, found as %+v", query, passage, i)
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"q=...":                          "has no words",
		"":                               "query",
		"q=x&asOf=2019-02-30":            "asOf",
		"q=x&versions=some":              "all",
		"q=x&cursor=last":                "nextCursor",
		"q=x&limit=0":                    "limit",
		"q=x&filter=%7B%22a%22:1%7D":     "rank (number), status (enum)",
		"q=x&filter=%5B%5D":              "object",
		"q=" + strings.Repeat("x", 1001): "1,001",
	} {
		body := p.body("GET", "/v1/apps/law/documents/laws?"+query, "")
		var refusal struct{ Code, Detail string }
		if err := json.Unmarshal([]byte(body), &refusal); err != nil || refusal.Code != "invalid_request" || !strings.Contains(refusal.Detail, want) {
			t.Errorf("%s: %s, want %q", query, body, want)
		}
	}
	if got := p.body("GET", "/v1/apps/reader/documents/laws?q=ships", ""); !strings.Contains(got, `"not_found"`) {
		t.Errorf("an app that cannot search: %s", got)
	}
	waitFor(t, func() bool {
		return strings.Contains(p.body("GET", "/v1/apps/law", ""), `"documents":[{"tool":"laws","name":"laws","fields":{"rank":{"type":"number"},"status":{"type":"enum","values":["current","repealed"]}},"versions":true}]`)
	})
	if got := p.body("GET", "/v1/apps/reader", ""); strings.Contains(got, `"documents"`) {
		t.Errorf("an app that cannot search offers it: %s", got)
	}
}

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveMCP starts the MCP server of a travel agency: search_flights answers, book_flight asks
// for what it needs (with input_required, protocol 2026-07-28), and pay asks to visit a page.
func serveMCP(t *testing.T) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "Someone else", Version: "1"}, nil)
	type search struct {
		To string `json:"to" jsonschema:"IATA code of the destination"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "search_flights", Description: "Finds flights."},
		func(_ context.Context, _ *mcp.CallToolRequest, in search) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "AG 12 to " + in.To + ", 9:40"}}}, nil, nil
		})
	server.AddTool(&mcp.Tool{Name: "book_flight", Description: "Books a flight.", InputSchema: map[string]any{
		"type": "object", "properties": map[string]any{"flight": map[string]any{"type": "string"}}, "required": []string{"flight"},
	}}, book)
	server.AddTool(&mcp.Tool{Name: "pay", Description: "Pays.", InputSchema: map[string]any{"type": "object"}}, pay)
	server.AddTool(&mcp.Tool{Name: "check_in", Description: "Checks everybody in.", InputSchema: map[string]any{"type": "object"}}, checkIn)
	handler := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(handler.Close)
	return handler.URL
}

// book asks twice: who travels, and then whether to book.
func book(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ask := func(state, message string, schema any) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{RequestState: state, InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: message, RequestedSchema: schema}}}, nil
	}
	say := func(text string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
	answer, _ := r.Params.InputResponses["q"].(*mcp.ElicitResult)
	switch {
	case answer == nil:
		return ask("who", "Who travels?", map[string]any{
			"type": "object", "required": []string{"name", "bags", "seat"},
			"properties": json.RawMessage(`{
				"name": {"type": "string", "title": "Name", "minLength": 2, "maxLength": 60},
				"bags": {"type": "integer", "title": "Bags", "minimum": 0, "maximum": 3},
				"seat": {"type": "string", "title": "Seat", "oneOf": [{"const": "w", "title": "Window"}, {"const": "a", "title": "Aisle"}], "default": "w"},
				"mail": {"type": "string", "title": "E-mail", "format": "email"}
			}`),
		})
	case answer.Action != "accept":
		return say("nothing was booked")
	case r.Params.RequestState == "who":
		name, _ := answer.Content["name"].(string)
		bags, _ := answer.Content["bags"].(float64)
		if bags == 0 {
			return say("booked without bags for " + name)
		}
		return ask("sure:"+name, "Book for 120 euros?", nil)
	default:
		return say("booked for " + r.Params.RequestState[len("sure:"):])
	}
}

func pay(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if answer, _ := r.Params.InputResponses["page"].(*mcp.ElicitResult); answer != nil {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "the user said " + answer.Action}}}, nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"page": &mcp.ElicitParams{
		Mode: "url", Message: "Please enter your card there.", URL: "https://pay.example.org/checkout?id=7", ElicitationID: "e1",
	}}}, nil
}

// checkIn reports its progress directly before it is done.
func checkIn(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for i, message := range []string{"Ada\u202e", "Ada"} { // the second does not rise
		err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: 1 - float64(i), Total: 2, Message: message,
		})
		if err != nil {
			return nil, err
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Ada is checked in."}}}, nil
}

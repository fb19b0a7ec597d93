// Command scripted is a model server that plays a script, or generates long streams for benchmarks.
// It supports Chat Completions, and with a script also the Responses API, the Messages API
// (provider "anthropic"; its baseUrl ends with the port) and the Gemini API (provider "gemini"; its
// baseUrl ends in /v1beta).
//
//	go run ./gateway/model/modeltest/scripted --listen 127.0.0.1:9999 --script FILE.json
//	go run ./gateway/model/modeltest/scripted --chunks 100000 --rate 5000 --size 20
//
// The script is a JSON array of responses, see modeltest.ParseScript:
//
//	[
//	  {"calls": [{"id": "call_1", "name": "ask_user", "arguments": {"question": "Which?"}}]},
//	  [{"text": "Thank "}, {"delay": "200ms"}, {"text": "you."}, {"finish": "stop"}, {"done":
//
// true}],
//
//	  {"answer": "A whole answer in words."}
//	]
//
// Each request is reported on standard error with the violations for which a strict provider would
// refuse it; with --strict it is refused. Without a script every request is answered with a short
// text.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

func main() {
	err := run(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scripted:", err)
		os.Exit(1)
	}
}

func run(args []string, log io.Writer) error {
	flags := flag.NewFlagSet("scripted", flag.ContinueOnError)
	flags.SetOutput(log)
	listen := flags.String("listen", "127.0.0.1:9999", "address to listen on; port 0 picks one")
	file := flags.String("script", "", "JSON file of responses")
	repeat := flags.Bool("repeat", false, "restart the script after its end")
	strict := flags.Bool("strict", false, "answer 400 to requests that a strict provider would refuse")
	var g modeltest.Generator
	flags.IntVar(&g.Chunks, "chunks", 0, "generate this many content chunks per request, instead of a script")
	flags.IntVar(&g.Rate, "rate", 0, "chunks per second; 0: no limit")
	flags.IntVar(&g.Size, "size", 20, "bytes of content per chunk")
	flags.BoolVar(&g.Stamp, "stamp", false, "begin each content with its time of sending in Unix nanoseconds")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var upstream http.Handler = g
	if g.Chunks <= 0 {
		play, err := script(*file, *repeat)
		if err != nil {
			return err
		}
		s := modeltest.Handler(play)
		s.Strict = *strict
		s.OnRequest = func(n int, r modeltest.Request) {
			// The request is in one of these, and the others are empty.
			messages := len(r.Body.Messages) + len(r.Messages.Messages) + len(r.Responses.Input) + len(r.Gemini.Contents)
			tools := len(r.Body.Tools) + len(r.Messages.Tools) + len(r.Responses.Tools)
			for _, t := range r.Gemini.Tools {
				tools += len(t.Declarations)
			}
			fmt.Fprintf(log, "request %d: %d messages, %d tools\n", n, messages, tools)
			for _, v := range r.Violations {
				fmt.Fprintf(log, "request %d: VIOLATION: %s\n", n, v)
			}
		}
		upstream = s
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "scripted: OPENAI_BASE_URL=http://%s/v1\n", listener.Addr())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", modeltest.Models)
	mux.Handle("/", upstream)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

// script returns the play function of a file, or a fixed answer without one.
func script(file string, repeat bool) (func(int, modeltest.Request) modeltest.Response, error) {
	if file == "" {
		return func(int, modeltest.Request) modeltest.Response {
			return modeltest.Answer("This is a scripted answer.")
		}, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	responses, err := modeltest.ParseScript(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(responses) == 0 {
		return nil, fmt.Errorf("%s: the script has no responses", file)
	}
	play := modeltest.Script(responses...)
	return func(n int, r modeltest.Request) modeltest.Response {
		if repeat {
			n %= len(responses)
		}
		return play(n, r)
	}, nil
}

# The usual commands of this repository. `make` lists them.

# The version that the binary prints; a release passes its own.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help run bundle test race browser lint fuzz bench askbench crash replies hostile check full build release docker patterns agents pictures figures site

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: bundle ## serve on http://127.0.0.1:8080 with the demo model
	go run ./cmd/askgate

test: ## run the tests; "go test -v" lists those left out because a server is missing
	go test ./...

race: ## run the tests with the race detector
	go test -race ./...

browser: ## run the tests of the page and the card, in Chromium
	go test -tags browser ./gateway/prove/browsertest

agents: ## run coding agents from npm against the MCP server (downloads 2 GB, 20 minutes)
	ASKGATE_TEST_NPM=1 go test -v -count=1 -timeout 90m -tags agents ./gateway/prove/clients/agents

pictures: ## take the pictures of the README and the card's docs again, in Chromium
	ASKGATE_SCREENSHOTS='$(CURDIR)/docs/pictures' go test -count=1 -tags browser -run '^(TestTheReadmesPictures|TestThePicturesOfTypes)CanBeTaken$$' ./gateway/prove/browsertest

bundle: ## make gateway/web/dist, what the pages load, of gateway/web/static
	go generate ./gateway/web

lint: ## gofmt and golangci-lint with go vet, as .ci/run does
	.ci/run format lint

fuzz: ## fuzz each target for FUZZTIME (default: 1m)
	.ci/run fuzz

bench: ## benchmark the whole gateway against a minimal one (6 minutes), then each part
	go run ./gateway/prove/streambench
	go test -run '^$$' -bench . -benchmem ./...

askbench: ## measure how well it asks, with simulated people: repeats, invented arguments, forms, caps, report
	go run ./gateway/prove/askbench

crash: ## kill the gateway at every point, many times; see also: go run ./gateway/prove/chaos
	go run ./gateway/prove/chaos crash -seeds 200

replies: ## lose, delay and hold PostgreSQL's replies to commits, many times
	go run ./gateway/prove/chaos replies -seeds 300

hostile: ## send 10,000 hostile requests to a real gateway, alongside good conversations
	go run ./gateway/prove/chaos hostile

check: ## what must pass before a change is merged: every test, and a sample of each prover (.ci/run, 10 minutes)
	.ci/run

full: ## everything: also all of the provers, npm clients, browser and deployment tests (.ci/run full, 1 hour)
	.ci/run full

build: ## build a static bin/askgate
	CGO_ENABLED=0 go build -trimpath -tags nomsgpack,grpcnotrace -ldflags '-s -w -X main.version=$(VERSION)' -o bin/askgate ./cmd/askgate

release: ## make a release in dist/ without publishing it: binaries, SBOM, npm package, chart, formula, checksums
	deploy/release.sh

site: ## build the documentation as a static site with search, in dist/site (needs npm)
	npm ci --prefix docs/.vitepress --ignore-scripts --no-audit --no-fund
	docs/.vitepress/node_modules/.bin/vitepress build docs --outDir '$(CURDIR)/dist/site'

figures: ## measure what docs/measurements.md says again, on this machine (20 minutes; leave it alone)
	go run ./gateway/prove/figures

docker: ## build the image askgate:latest
	docker build --build-arg VERSION='$(VERSION)' -t askgate .

patterns: ## measure the pattern verdicts on the labelled corpus
	go run ./tools/askuser/pattern/patterneval

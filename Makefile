# What one does with this repository. `make` lists it.

# The version that a binary tells; a release passes its own.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
FUZZTIME ?= 1m

.DEFAULT_GOAL := help
.PHONY: help run test race browser lint fuzz bench crash hostile check build docker patterns

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## serve on http://127.0.0.1:8080 with the demo model
	go run ./cmd/askgate

test: ## run the tests
	go test ./...

race: ## run the tests with the race detector
	go test -race ./...

browser: ## run the tests of what people see, in Chromium
	go test -tags browser ./gateway/browsertest

lint: ## gofmt, go vet and golangci-lint, as .ci/run does
	.ci/run format lint

fuzz: ## fuzz each target for FUZZTIME (a minute)
	FUZZTIME=$(FUZZTIME) .ci/run fuzz

bench: ## run the benchmarks: the whole gateway beside a minimal one, then each part
	go run ./gateway/streambench
	go test -run '^$$' -bench . -benchmem ./...

crash: ## kill the gateway at every point, many times over; see also: go run ./gateway/neverlost
	go run ./gateway/neverlost crash -seeds 200

hostile: ## 10,000 hostile requests beside good conversations, on a real gateway
	go run ./gateway/neverlost hostile

check: ## everything that must hold before a change goes in (.ci/run)
	.ci/run

build: ## build a static bin/askgate
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/askgate ./cmd/askgate

docker: ## build the image askgate:latest
	docker build --build-arg VERSION='$(VERSION)' -t askgate .

patterns: ## how well the pattern verdict does on the labelled corpus
	go run ./tools/askuser/pattern/patterneval

GO     ?= go
PKGS   ?= ./...
TAGS    = -tags gms_pure_go
TIME   ?= 30s
BUILDAH ?= buildah --storage-driver vfs
export CGO_ENABLED ?= 0

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
build: ## build the static binary bin/pfsd
	$(GO) build $(TAGS) -trimpath -ldflags=-s -o bin/pfsd ./cmd/pfsd
run: ## start a server with a live workload on 127.0.0.1:3307
	$(GO) run $(TAGS) ./cmd/pfsd --port=3307 --workload=mixed
test: ## pass the tests
	$(GO) test $(TAGS) -timeout 15m $(PKGS)
race: ## pass the tests under the race detector
	CGO_ENABLED=1 $(GO) test -race $(TAGS) -timeout 45m $(PKGS)
bench: build ## measure all that testdata/bench/ratios.tsv has a figure of, and fail where one is worse
	$(GO) run $(TAGS) ./engine/bench ratios
bench-all: ## print the budgets in cycles, KiB and ms, and Go's benchmarks
	$(GO) run ./instr/bench && for b in connections throughput switching summing; do echo && $(GO) run $(TAGS) ./engine/bench $$b || exit 1; done && $(GO) test $(TAGS) -run '^$$' -bench . ./instr ./engine
bench-mariadb: ## measure reads beside MariaDB's, installed from Debian
	./testdata/bench/mariadb.sh
fuzz: ## fuzz each fuzz test for TIME (30s)
	@grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r f; do for t in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]+)\(.*/\1/p' $$f); do echo "$$t in $$(dirname $$f)"; $(GO) test $(TAGS) -run '^$$' -fuzz "^$$t$$" -fuzztime $(TIME) $$(dirname $$f) || exit 1; done; done
heavy: ## send chains of HEAVY ('': all, for hours) in every way and of every length
	PFSD_HEAVY='$(HEAVY)' $(GO) test $(TAGS) -timeout 48h -v -run '^TestHeavyTexts$$' ./engine
soak: ## run the torn-row, model and leak tests for longer
	PFSD_SOAK=$(TIME) $(GO) test $(TAGS) -timeout 2h ./ringbuf ./instr ./tables && $(GO) test $(TAGS) -timeout 2h -count 20 ./engine
lint: ## gofmt, vet, staticcheck and golangci-lint
	@test -z "$$(gofmt -l . | tee /dev/stderr)" && $(GO) vet $(TAGS) $(PKGS) && $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run $(PKGS)
clients: ## install and run all clients: exporters, tuners, drivers, command lines
	./testdata/clients/run
image: build ## build the container image localhost/pfsd with buildah from bin/pfsd
	mkdir -p bin/image/data && cp bin/pfsd bin/image && $(BUILDAH) bud --isolation chroot --format docker --build-arg BINARY=prebuilt -t localhost/pfsd .
image-test: image ## start the image, ask it whether it is alive, stop it
	BUILDAH="$(BUILDAH)" ./testdata/image/run
rename: ## give the module another path, MODULE=example.com/you/pfsd
	@test -n "$(MODULE)" || { echo "make rename: MODULE is not set" >&2; exit 2; }
	old=$$($(GO) list -m) && $(GO) mod edit -module "$(MODULE)" && \
	grep -rlF --include='*.go' "\"$$old/" . | xargs sed -i "s#\"$$old/#\"$(MODULE)/#g" && gofmt -w $$(grep -rlF --include='*.go' "\"$(MODULE)/" .)
clean: ## remove what was built
	rm -rf bin tmp
.DEFAULT_GOAL := help
.PHONY: help build run test race bench bench-all bench-mariadb fuzz heavy soak lint clients image image-test rename clean

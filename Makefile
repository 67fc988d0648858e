GO     ?= go
PKGS   ?= ./...
TAGS    = -tags gms_pure_go
TIME   ?= 30s
KILLS  ?= 100
TOOLCHAINS ?= go1.24.11 go1.25.5 local go1.27.0
RUNTIMETESTS := ^Test(Chan|Select|NonblockRecv|Multi|SelfSelect|Sem|Mutex|RWMutex|Stack|Timer|Sleep|GC|Gc|Coro|Goroutine|Deadlock|Lock|Finalizer|Cleanup|Preempt|Yield|Panic|Recover|Caller|Callers|Defer|Goexit|MemStats|ReadMetrics)
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
test-nofuncs: ## pass the tests of tables, sys and clients without engine/mysqlfuncs
	.ci/parts gms_pure_go,nomysqlfuncs ./engine '^Test(Golden|Corpus|Drivers|MySQLTuner|PtMySQLSummary|MariaDBTools|DumpOfAll|Sys.*|PanicsAreMended|Results.*|EveryFunction.*)$$'
mends: ## write docs/mends.md from the list of mends
	$(GO) test $(TAGS) -count 1 -run '^TestMendsDocumented$$' ./engine/mends -rewrite
race: ## pass the tests under the race detector
	CGO_ENABLED=1 $(GO) test -race $(TAGS) -timeout 45m $(PKGS)
test-once: ## pass each test once: under the race detector what runs concurrently, the others without it
	.ci/tests
churn: ## have a million goroutines become threads and end
	PFSD_CHURN=1000000 $(GO) test $(TAGS) -count 1 -run '^TestGoroutineThreadChurn$$' ./instr
leaks: ## find leaked goroutines, with a runtime that can
	GOEXPERIMENT=goroutineleakprofile $(GO) test $(TAGS) -count 1 -run '^TestGoroutineLeaks$$' ./instr
bench: build ## measure all that testdata/bench/ratios.tsv has a figure of, and fail where one is worse
	$(GO) run $(TAGS) ./engine/bench ratios
bench-against: ## compare what BASE (HEAD~1) costs with what the working tree does, by turns, and fail where that is dearer; ARGS=-quick takes two minutes
	$(GO) run $(TAGS) ./engine/bench against $(ARGS) $(or $(BASE),HEAD~1)
bench-all: ## print the budgets in cycles, KiB and ms, and Go's benchmarks
	$(GO) run ./instr/bench && for b in connections starting throughput switching summing; do echo && $(GO) run $(TAGS) ./engine/bench $$b || exit 1; done && $(GO) test $(TAGS) -run '^$$' -bench . ./instr ./engine
bench-mariadb: ## measure reads beside MariaDB's, installed from Debian
	./testdata/bench/mariadb.sh
bench-sysbench: build ## run sysbench's transactions beside MariaDB's; both and sysbench are installed from Debian
	$(GO) run $(TAGS) ./engine/bench sysbench $(ARGS)
bench-weave: build ## measure what the recorder of pfsd build costs a program, beside Go's own profiles and traces
	$(GO) run ./cmd/pfsd/weave/bench $(ARGS)
bench-loading: build ## fill tables beside MariaDB
	$(GO) run $(TAGS) ./engine/bench loading $(ARGS)
fuzz: ## fuzz each fuzz test for TIME (30s)
	@grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r f; do for t in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]+)\(.*/\1/p' $$f); do echo "$$t in $$(dirname $$f)"; $(GO) test $(TAGS) -run '^$$' -fuzz "^$$t$$" -fuzztime $(TIME) -fuzzminimizetime 1s $$(dirname $$f) || exit 1; done; done
power-cuts: ## cut the power 1,000 times, and fail each operation of the disk, under the store of users' tables
	$(GO) test $(TAGS) -timeout 2h -v -run '^(TestPowerCuts|TestDeviceFails)$$' ./engine/txkv -powercuts 1000 -faultstep 1
differential: build ## look for wrong answers for TIME (30s) with SEED, beside MariaDB if it is installed
	$(GO) run ./engine/differential -time $(TIME) $(if $(SEED),-seed $(SEED)) $(ARGS)
heavy: ## send chains of HEAVY ('': all, for hours) in every way and of every length
	PFSD_HEAVY='$(HEAVY)' $(GO) test $(TAGS) -timeout 48h -v -run '^TestHeavyTexts$$' ./engine
hostile: ## send hostile statements of all kinds for TIME (30s) with the limits of a guest, and tell how much memory the server has had
	PFSD_SOAK=$(TIME) $(GO) test $(TAGS) -timeout 0 -count 1 -v -run '^TestHostileSeeds$$' ./engine; s=$$?; PFSD_SOAK=$(TIME) $(GO) test $(TAGS) -timeout 0 -count 1 -v -run '^TestHostileStatements$$' ./engine && exit $$s
soak: ## run the torn-row, model and leak tests for longer
	PFSD_SOAK=$(TIME) $(GO) test $(TAGS) -timeout 2h ./ringbuf ./instr ./tables && $(GO) test $(TAGS) -timeout 2h -count 20 ./engine
kills: ## kill a server KILLS (100) times while clients commit, and while it takes samples, and look for what was there
	PFSD_KILLS=$(KILLS) $(GO) test $(TAGS) -timeout 2h -v -run "^TestKilledWhileCommitting$$" ./engine
	PFSD_KILLS=$(KILLS) $(GO) test $(TAGS) -timeout 2h -v -run "^TestSamplesAfterKill$$" ./cmd/pfsd
histories: ## run random transactions for TIME (30s), and hold what they read against their isolation levels
	PFSD_SOAK=$(TIME) $(GO) test $(TAGS) -timeout 2h -v -run "^(TestHistories|TestKilledHistories)$$" ./engine
drivers: ## test instr/instrsql with the drivers of SQLite, PostgreSQL and SQL Server, in a module of its own
	cd instr/instrsql/drivers && $(GO) test -count 1 .
enginetest: ## run go-mysql-server's own tests of its engine on users' tables, and print how many pass and fail
	cd engine/storage/enginetest && { $(GO) test $(TAGS) -timeout 20m -v . > results.log; grep -c -- '--- PASS' results.log; grep -- '--- FAIL' results.log; rm results.log; }
weave: build ## record a program and programs of others with each of TOOLCHAINS, and the tests of Go's own packages
	for v in $(TOOLCHAINS); do echo $$v; PFSD_TOOLCHAIN=$$v $(GO) test $(TAGS) -count 1 -run '^Test(Recorded.*|SwitchesOf.*|NoRecording|BuildInformation|BuildsFor.*|[A-Za-z]+OfARecording)$$' ./cmd/pfsd || exit 1; done
	for v in $(TOOLCHAINS); do echo $$v; PFSD_TOOLCHAIN=$$v PFSD_PROGRAMS=1 $(GO) test $(TAGS) -count 1 -v -timeout 40m -run '^TestProgram' ./cmd/pfsd || exit 1; done
	d=$$(mktemp -d) && GOFLAGS= PFSD_RECORD=$$d ./bin/pfsd test -short sync internal/sync internal/poll context time os os/exec net net/http database/sql runtime/pprof testing/synctest; s=$$?; rm -rf $$d; exit $$s
	d=$$(mktemp -d) && GOFLAGS= PFSD_RECORD=$$d ./bin/pfsd test -short -run '$(RUNTIMETESTS)' runtime runtime/debug; s=$$?; rm -rf $$d; exit $$s
	d=$$(mktemp -d) && GOFLAGS= CGO_ENABLED=1 PFSD_RECORD=$$d ./bin/pfsd test -race -short sync internal/sync internal/poll context time net/http database/sql testing/synctest; s=$$?; rm -rf $$d; exit $$s
lint: ## gofmt, and golangci-lint with vet and staticcheck
	@test -z "$$(gofmt -l . | tee /dev/stderr)" && $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run $(PKGS)
clients: ## install and run all clients: exporters, tuners, drivers, command lines
	./testdata/clients/run
image: build ## build the container image localhost/pfsd with buildah from bin/pfsd
	mkdir -p bin/image/data && cp bin/pfsd bin/image && $(BUILDAH) bud --isolation chroot --format docker --build-arg BINARY=prebuilt -t localhost/pfsd .
image-test: image ## start the image, ask it whether it is alive, stop it, and look for its data in another container
	BUILDAH="$(BUILDAH)" ./testdata/image/run
web-assets: ## write the libraries of the page, with their licences and checksums, from npm
	./engine/pfsdweb/assets.sh
web-test: ## look at the page in a headless chromium, which is installed from Debian
	PFSD_CHROMIUM=chromium $(GO) test $(TAGS) -count 1 -v -run '^TestBrowser' ./engine/pfsdweb
rename: ## give the module another path, MODULE=example.com/you/pfsd
	@test -n "$(MODULE)" || { echo "make rename: MODULE is not set" >&2; exit 2; }
	old=$$($(GO) list -m) && files=$$(grep -rlE --exclude-dir=.git --exclude-dir=node_modules "\\b$$old[/@= ]|^module $$old$$" .) && sed -i -E \
	-e "s#(^|thread/go/|[^A-Za-z0-9_./-])$$old/(cmd|engine|instr|ringbuf|tables|testdata|timers)\\b#\1$(MODULE)/\2#g" \
	-e "s#(-require=|-replace=|^module |^replace |^require |^\t)$$old(@v|=| v0| =>|$$)#\1$(MODULE)\2#g" $$files && gofmt -w $$(echo "$$files" | grep '\.go$$')
clean: ## remove what was built
	rm -rf bin tmp
.DEFAULT_GOAL := help
.PHONY: differential leaks help build run test test-once test-nofuncs mends race bench bench-all bench-against bench-mariadb bench-sysbench bench-loading bench-weave fuzz power-cuts heavy hostile soak drivers enginetest kills histories weave lint clients image image-test web-assets web-test rename clean

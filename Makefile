# Thin: every target calls a script or CMake. `make help` lists them.
PRESET ?= dev
JOBS ?= $(shell nproc)

.PHONY: help setup build test test-torch test-debugger demo docs vsix bundle install lint format fuzz asan tsan bench clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 12

setup: ## install the distribution's packages that are missing
	@scripts/setup

build: setup ## configure and build (PRESET=dev|release|asan|fuzz)
	@scripts/build $(PRESET)

demo: setup ## run the flagship examples on the cpu device, checked against float64
	@scripts/build $(PRESET) tilerun
	@build/$(PRESET)/bin/tilerun demo

test: build ## everything: unit tests, lit tests, examples
	@scripts/test $(PRESET)

test-torch: setup ## torch.compile over Tilerun, in an environment of its own (downloads PyTorch, once)
	@scripts/test-torch $(PRESET)

test-debugger: setup ## the debugger with a client of the protocol from the Python index (downloads it, once)
	@scripts/test-debugger $(PRESET)

docs: setup ## the documentation as a site with a search: build/site/index.html
	@scripts/site

vsix: ## the extension for VS Code: build/tilerun-VERSION.vsix
	@scripts/vsix

bundle: setup ## a tarball that needs nothing but glibc 2.36 and a driver (PRESET=release)
	@scripts/bundle $(if $(filter command line,$(origin PRESET)),$(PRESET),release)

install: build ## install below PREFIX (/usr/local), linked against the distribution's LLVM
	@for c in programs libraries development data; do \
	  cmake --install build/$(PRESET) --prefix "$(or $(PREFIX),/usr/local)" --component $$c || exit 1; done

asan: ## every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory test PRESET=asan

tsan: setup ## the tests of runtime, API, compiler and plugins under ThreadSanitizer
	@scripts/tsan

fuzz: ## build the fuzz targets and run each for a short while (RUNS=n for the count)
	@scripts/fuzz

bench: build ## measure the interpreter on the examples
	@scripts/bench

lint: build ## clang-format and clang-tidy
	@scripts/lint

format: ## apply clang-format
	@scripts/lint --fix

clean: ## remove build outputs
	@rm -rf build

# Everything a person does with this checkout. `make help` lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV ?= .venv
STAGES := $(VENV)/bin/python tests/stages.py
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
PIP_INSTALL := -m pip install --quiet --quiet --disable-pip-version-check

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-22s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## The environment

.PHONY: env packages pins
env: $(VENV)/.stamp ## create or refresh .venv with all tools, the very files that constraints.txt lists

NEW_ENOUGH := -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null

$(VENV)/.stamp: requirements.txt requirements-dev.txt constraints.txt
	@$(PYTHON) $(NEW_ENOUGH) || $(VENV)/bin/python $(NEW_ENOUGH) || { echo "make env: $(PYTHON) is" \
		"$$($(PYTHON) --version 2>&1 | tail -n 1), where Python 3.11 or newer is needed: install one and name it," \
		"as in: make env PYTHON=python3.12" >&2; exit 1; }
	@{ $(VENV)/bin/python $(NEW_ENOUGH) && $(VENV)/bin/python -m pip --version >/dev/null 2>&1; } || \
		{ $(PYTHON) -c 'import ensurepip' 2>/dev/null || tests/setup/packages.sh base; \
		$(PYTHON) -m venv --clear $(VENV); }
	@$(VENV)/bin/python $(PIP_INSTALL) --require-hashes --requirement constraints.txt
	@touch $@

packages: ## install the system packages that the tests need (as root or with sudo; else name them)
	@tests/setup/packages.sh

pins: ## take the newest versions that requirements-dev.txt allows into constraints.txt
	@rm -rf build/venv-pins && $(PYTHON) -m venv build/venv-pins
	@build/venv-pins/bin/python $(PIP_INSTALL) uv
	@sed -i '/^#/!d' constraints.txt
	@build/venv-pins/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header requirements-dev.txt >>constraints.txt

## A fabric on this machine

.PHONY: demo demo-down prove
demo: env ## a fabric in containers: planned, provisioned, tenants onboarded and moved, validated
	@demo/demo.sh

demo-down: ## remove every trace of `make demo`, but for .venv and system packages
	@demo/down.sh

prove: env ## prove with packets that tenants are isolated and that moves hold
	@tests/prove/run.sh

## Tests

.PHONY: test test-all stages
test: packages env ## everything, cheap failures first, until the first failure (.ci/run runs this)
	@$(STAGES)

test-all: packages env ## `test`, large fabrics, pylint and the other ansible-core, whatever fails
	@$(STAGES) --all

stages: env ## list the stages of `make test` with their budgets in seconds
	@$(STAGES) --list

.PHONY: check-format lint types layers changelog unit golden package docs sanity newest-core atlas molecule molecule-all kernel large pylint cores
check-format: env ## stage: Python source is formatted
	@$(STAGES) format

changelog: env ## stage: changelog fragments are well formed
	@$(STAGES) changelog

layers: env ## stage: imports follow the contracts of import-linter
	@$(STAGES) layers

lint: env ## stage: ruff, yamllint and ansible-lint (production profile)
	@$(STAGES) lint

types: env ## stage: mypy strict over plugin_utils and module_utils
	@$(STAGES) types

unit: env ## stage: unit tests
	@$(STAGES) unit

golden: env ## stage: golden files, input to expected and errors to sentences
	@$(STAGES) golden

package: env ## stage: the tarball, installed into an empty path, works
	@$(STAGES) package

docs: env ## stage: plugin documentation is valid; the site is built into build/docs/html
	@$(STAGES) docs

sanity: env ## stage: ansible-test sanity
	@$(STAGES) sanity

newest-core: env ## stage: what touches Ansible, on the newest supported ansible-core (optional)
	@$(STAGES) newest-core

atlas: env ## stage: the page in a headless Chromium
	@$(STAGES) atlas

molecule: env ## stage: the roles against containers
	@$(STAGES) molecule

molecule-all: packages env ## every scenario, those included that `make test` has no time for (half an hour)
	@tests/molecule.sh --all

kernel: env ## stage: what needs VRFs of a kernel, in this machine's or in a guest's (optional)
	@$(STAGES) kernel

.PHONY: dcim
dcim: env ## playbooks against real throw-away servers of Nautobot and NetBox (half an hour at first; stage: the lab, optional)
	@tests/setup/packages.sh dcim
	@tests/dcim/run.sh --all

large: env ## stage of test-all: unit tests on large fabrics and by whole playbooks
	@$(STAGES) large

check-schema: env ## stage of test-all: NVIDIA's NVUE schema is what the package has (optional)
	@$(STAGES) check-schema

pylint: env ## stage of test-all: the pylint of ansible-test
	@$(STAGES) pylint

cores: env ## stage of test-all: what touches Ansible, on the supported ansible-core between (optional)
	@$(STAGES) cores

.PHONY: drill
drill: packages env ## kills, two controllers, hostile nodes, switches, hosts, clocks and disks, slow levels, Slurm (DRILL="kills ..." for some)
	@PYTHONPATH=tests $(VENV)/bin/python -m drills --keep-going $(DRILL)

## Working on the code

.PHONY: format pages schema dialects capture bench execution-environment clean
format: env ## format the Python source and sort its imports
	@ruff check --quiet --fix --exit-zero --select I .
	@ruff format .

pages: env ## write what is generated: parts of the guides, roles' README files, pictures of the examples
	@tree=$$(tests/setup/tree.sh links) && PYTHONPATH=tests:$$tree $(VENV)/bin/python -m docs.generate && \
		PYTHONPATH=$$tree $(VENV)/bin/python docs/docsite/rst/images/draw.py

schema: ## write NVIDIA's NVUE schema of every release from the package nvueschema
	@tests/setup/schema.sh

dialects: env ## print which of our settings change between two releases (FROM=5.17 TO=5.18)
	@PYTHONPATH=tests:$$(tests/setup/tree.sh links) $(VENV)/bin/python -m schema.dialects "$(FROM)" "$(TO)"

capture: env ## a file of playbook conformance becomes a fixture of the tests (FILE=...)
	@$(VENV)/bin/python tests/captures.py "$(FILE)"

bench: env .venv-bench/.stamp ## measure speed and memory, one JSON object a line (BENCH="plan ..." for some)
	@SPX_BENCH_PYAVD=$(CURDIR)/.venv-bench/bin/python PYTHONPATH=tests $(VENV)/bin/python -m bench $(BENCH)

.venv-bench/.stamp: requirements-bench.txt
	@.venv-bench/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv-bench
	@.venv-bench/bin/python $(PIP_INSTALL) --requirement requirements-bench.txt
	@touch $@

execution-environment: env ## write the build context of an execution environment to build/
	@tests/setup/execution_environment.sh

clean: ## remove everything that make and the tools have made, the environments included
	@up=$$(find build/lab -mindepth 1 -maxdepth 1 -printf '%f ' 2>/dev/null || true); [ -z "$$up" ] || { \
		echo "make clean: build/lab/ holds the state of what is up ($${up% }): take it down first, with" \
		"make demo-down or: sudo env PYTHONPATH=demo python3 -m lab down NAME" >&2; exit 1; }
	@[ ! -d build/dcim ] || PYTHONPATH=tests $(PYTHON) -m dcim.servers down
	@rm -rf build .venv .venv-bench .venv-schema .mypy_cache .pytest_cache .ruff_cache .hypothesis tests/output 2>/dev/null || { \
		echo "make clean: some of it belongs to root, such as the lab's root file systems in build/lab-cache:" \
		"run sudo make clean" >&2; exit 1; }

# Everything a person does with this checkout. `make help` lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV ?= .venv
STAMP := $(VENV)/.stamp
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: env
env: $(STAMP) ## create or refresh .venv with all tools, exact versions from constraints.txt

$(STAMP): requirements.txt requirements-dev.txt constraints.txt
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
		--requirement requirements-dev.txt --constraint constraints.txt
	@touch $@

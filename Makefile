# Everything here runs inside .venv, which the targets make when they need it: a machine needs only make and
# Python (with venv and pip). PYTHON=... chooses the interpreter from which .venv is made.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK_VENV := .venv-lock
# Of benchmarks: the runs of each job, the commit to compare with, and the suite for it.
REPEAT ?= 3
BEFORE ?= HEAD~1
SUITE ?= benchmarks/counts.toml
PIP_TOOLS := pip-tools==7.6.2

# Settings of the caller must not reach the environment made here.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV PIP_REQUIRE_HASHES PIP_TARGET PIP_PREFIX PIP_USER
# Tests start hundreds of interpreters, each of which would compile every module.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Whole commands in suites are started by the name python.
WITH_TOOLS := PATH="$(CURDIR)/$(BIN):$$PATH"
INSTALL_LOCKED := $(BIN)/python -m pip install --quiet --no-deps --require-hashes --only-binary :all: --requirement
# The build backend comes from the lock, and no registry is asked.
INSTALL_PROJECT := $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --no-index --editable .

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo quick test test-long mutants timing coverage bench bench-counts bench-ratios bench-record bench-before older lint checker proofs proved docs lock clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.demo ## install the locked packages and run five examples, which leave pages in build/demo
	$(WITH_TOOLS) bash examples/demo.sh

quick: $(VENV)/.test ## run the fast tests, without random families, in less than a minute
	$(BIN)/python -m pytest --numprocesses=auto -m "not slow and not timing and not thorough and not hypothesis and not coq"

test: lint ## lint, and run all tests but the slow ones
	$(BIN)/python -m pytest --numprocesses=auto

test-long: $(VENV)/.test ## run all tests, with many more random examples and all mutations
	$(BIN)/python -m pytest --numprocesses=auto -m "not timing and not coq" --hypothesis-profile=long

mutants: $(VENV)/.test ## delete each rule of the checker in turn, and list those that no handwritten test needs
	$(BIN)/python -m tests.mutants

timing: $(VENV)/.test ## run the tests of speed one at a time, on an idle machine
	$(BIN)/python -m pytest -m timing

coverage: $(VENV)/.test ## run the tests, and show the lines and branches that they do not reach
	$(BIN)/python -m pytest --numprocesses=auto -k "not full_disk" --cov --cov-report=term --cov-report=html

bench: $(VENV)/.test ## time single steps of the engines
	$(BIN)/python -m pytest tests/benchmarks --benchmark-enable --benchmark-only

bench-counts: $(VENV)/.test ## count the work of small benchmarks, and fail if a family needs half more than is recorded
	@mkdir -p build
	$(BIN)/prover bench run benchmarks/counts.toml --output build/counts.jsonl --force
	$(BIN)/prover bench compare benchmarks/results/counts.jsonl build/counts.jsonl --counts

bench-ratios: $(VENV)/.test older ## run small benchmarks beside those of an older commit (BEFORE=COMMIT), and show ratios
	$(WITH_TOOLS) $(BIN)/prover bench run $(SUITE) --output build/after.jsonl --beside build/before build/before.jsonl \
		--repeat $(REPEAT) --force
	$(BIN)/prover bench compare build/before.jsonl build/after.jsonl --ratios

bench-record: $(VENV)/.test ## measure the tables of docs/speed.md anew, each job REPEAT times, on an idle machine
	$(BIN)/python benchmarks/speed.py --measure --jobs 2 --repeat $(REPEAT)
	$(if $(filter file,$(origin BEFORE)),,$(MAKE) bench-before)

bench-before: $(VENV)/.test older ## measure only the table that compares with an older commit (BEFORE=COMMIT)
	$(WITH_TOOLS) $(BIN)/python benchmarks/speed.py --before $(BEFORE) build/before --jobs 2 --repeat $(REPEAT)
	$(BIN)/prover bench compare benchmarks/results/headlines_before.jsonl benchmarks/results/headlines.jsonl \
		--ratios

older:
	rm -rf build/before && mkdir -p build/before
	git archive $(BEFORE) | tar --extract --directory build/before

lint: $(VENV)/.test ## ruff check, ruff format --check, mypy, deptry
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/deptry .

checker: ## pack the checker of certificates into one file, build/checker.pyz
	$(PYTHON) -m prover.certificate.packing build/checker.pyz

proofs: $(VENV)/.test ## compile the proofs and theorems about examples with Coq
	@command -v coqc > /dev/null || { echo "coqc is not installed; on Debian it is in the package coq"; exit 2; }
	$(MAKE) --directory=proofs --jobs=2
	$(BIN)/python -m pytest --numprocesses=2 -m coq

proved: ## build build/prover-checked, a program that checks certificates by a check proved in Coq
	@for tool in coqc ocamlfind; do command -v $$tool > /dev/null && continue; echo "$$tool is not installed; $(NEEDED)"; exit 2; done
	@ocamlfind query zarith > /dev/null 2>&1 || { echo "zarith is not installed; $(NEEDED)"; exit 2; }
	$(MAKE) --directory=proofs program

docs: $(VENV)/.docs ## make a site of all pages, build/docs/index.html, without network; a warning is an error
	rm -rf build/docs
	JUPYTER_PATH=docs/site/jupyter IPYTHONDIR="$(CURDIR)/build/ipython" $(BIN)/sphinx-build --quiet --nitpicky \
		--fail-on-warning --keep-going --fresh-env --conf-dir docs/site --doctree-dir build/doctrees . build/docs

lock: $(LOCK_VENV)/.made ## renew requirements/ from pyproject.toml (LOCK_FLAGS=--upgrade for new versions)
	$(call compile,demo,)
	$(call compile,test,--extra smt --extra cluster --extra test --extra dev --constraint requirements/demo.txt)
	$(call compile,docs,--extra docs --constraint requirements/test.txt)

clean: ## remove .venv, caches and build products
	$(MAKE) --silent --directory=proofs clean
	rm -rf $(VENV) $(LOCK_VENV) build dist htmlcov .coverage .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

NEEDED := on Debian, the packages coq, ocaml-findlib and libzarith-ocaml-dev have what is needed

# $(call compile,NAME,OPTIONS): requirements/NAME.txt, naming no registry and no path of this machine
define compile
CUSTOM_COMPILE_COMMAND="make lock" $(LOCK_VENV)/bin/pip-compile --quiet $(LOCK_FLAGS) --generate-hashes \
	--all-build-deps --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --strip-extras \
	$(2) --output-file requirements/$(1).txt pyproject.toml
endef

# An interrupted installation leaves no stamp, and the next call begins it again.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed; say make PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(LOCK_VENV)/.made:
	$(PYTHON) -m venv --clear $(LOCK_VENV)
	$(LOCK_VENV)/bin/python -m pip install --quiet "$(PIP_TOOLS)"
	@touch $@

$(VENV)/.demo: requirements/demo.txt pyproject.toml | $(VENV)/.made
	$(INSTALL_LOCKED) requirements/demo.txt
	$(INSTALL_PROJECT)
	@touch $@

$(VENV)/.test: requirements/test.txt pyproject.toml | $(VENV)/.made
	$(INSTALL_LOCKED) requirements/test.txt
	$(INSTALL_PROJECT)
	@touch $@

$(VENV)/.docs: requirements/docs.txt pyproject.toml | $(VENV)/.made
	$(INSTALL_LOCKED) requirements/docs.txt
	$(INSTALL_PROJECT)
	@touch $@

# Every target sets up what it needs; the first on a new machine takes a few minutes, and says so.
.DEFAULT_GOAL := help
.PHONY: help demo check test test-slow fuzz lint bench maps robots data laws docs env shell recipes clean

inside := hpc/env/enter
BASE := HEAD

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' Makefile

demo: ## the whole way for one arm: mesh, 3D solution, comparison, calibration, report (out/demo)
	./loligo doctor
	./loligo mesh renda_arm_tip_force --level 0 -o out/demo
	./loligo solve renda_arm_tip_force --levels 0,1 -o out/demo/renda_arm_tip_force.nc
	./loligo compare renda_arm_tip_force out/demo/renda_arm_tip_force.nc
	./loligo calibrate renda_arm_tip_force --data out/demo/renda_arm_tip_force.nc \
		-o out/demo/coefficients.toml
	-./loligo view out/demo/renda_arm_tip_force.nc -o out/demo/renda_arm_tip_force.png
	./loligo report out/demo/renda_arm_tip_force.nc -o out/demo/report

test: lint ## lint, then every test that is not slow: on all cores, then on 2 ranks, on 3 ranks
	$(inside) python3 -m pytest --quiet --numprocesses auto --dist worksteal
	$(inside) hpc/checks/mpi mpi 2
	$(inside) hpc/checks/mpi mpi3 3

check: lint ## lint, and the tests that the changes since BASE (by default HEAD) touch
	$(inside) bash -c 'python3 -m pytest --quiet $$(python3 hpc/checks/touched.py $(BASE))'

test-slow: ## the slow tests, from where the last run stopped; writes docs/verification-table.md
	$(inside) python3 hpc/checks/slow.py

SECONDS := 0
fuzz: ## look for tracebacks, hangs and wrong numbers; SECONDS=3600 goes on with new seeds so long
	$(inside) python3 tests/fuzz/run.py --seconds $(SECONDS)

lint: ## ruff and mypy
	$(inside) hpc/checks/lint

benches := tests/bench/bench_*.py
bench: ## time and error of what is fast, beside the peers, which it brings where it can
	tests/bench/peers
	$(inside) bash -c 'failed=; for script in $(benches); do \
		echo "== $$script"; python3 "$$script" || failed="$$failed $$script"; done; \
		[[ -z $$failed ]] || { echo "failed:$$failed"; exit 1; }'

charts := validation/reference/maps
maps: ## solve the studies behind the validity maps, from where the last run stopped, and draw them
	for study in taper segment wall; do \
		./loligo study run $(charts)/$$study.toml -o build/maps/$$study || exit; done
	for model in pcc rod; do \
		./loligo map build/maps/taper -m $$model -x body.tip_radius \
			-o $(charts)/taper_$$model.nc || exit; \
		./loligo map build/maps/segment -m $$model -o $(charts)/segment_$$model.nc || exit; done
	for model in shell shell_eq7; do \
		./loligo map build/maps/wall -m $$model -o $(charts)/wall_$$model.nc || exit; done

robots: ## calibrate the parts of the robots and let these vary with them, where anything has changed
	$(inside) python3 -m loligo.validation.shipping.robots $(ROBOTS)

data: ## make the reference data that loligo ships, where they are not there or of another study (hours)
	$(inside) python3 -m loligo.validation.shipping.reference $(CASES)
	$(inside) python3 docs/generate.py

laws: ## make the section laws of the solid that loligo ships, where they are not there or of other sections
	$(inside) python3 -m loligo.validation.shipping.laws $(LAWS)

docs: ## write the pages that are made from code
	$(inside) python3 docs/generate.py

env: ## make the environment now
	$(inside) true

shell: ## a shell in the environment
	$(inside) bash

recipes: ## write the Apptainer and conda recipes again, from the package list
	$(inside) python3 hpc/env/recipes.py

clean: ## remove what is built in this clone (the environment itself stays in the cache folder)
	rm -rf build .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis loligo.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +

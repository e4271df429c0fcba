#!/bin/bash
# Written by `loligo study submit`. Facts of the cluster come from its TOML file.
{% for option, value in options.items() %}
#SBATCH --{{ option }}{{ "=" if value }}{{ value }}
{% endfor %}
set -euo pipefail
{% for setup_line in setup %}
{{ setup_line }}
{% endfor %}
# `exec`, so that the signal that Slurm sends before the limit reaches the work itself.
{{ line }}

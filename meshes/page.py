"""A one-page summary of a mesh that needs no other file, and the picture on it."""

from __future__ import annotations

import base64
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from loligo.cases.core import atomic as files
from loligo.cases.core.drawing import draw_apart
from loligo.meshes.report import MeshReport

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="generator" content="loligo">
<title>{{ report.case }}, mesh level {{ report.level }}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }
img { max-width: 100%; }
table { border-collapse: collapse; margin: 0.5em 0 1.5em; }
th, td { padding: 0.15em 0.9em 0.15em 0; text-align: left; border-bottom: 1px solid #ddd; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: 0.9em; overflow-wrap: anywhere; }
.warning { background: #fff4d6; padding: 0.5em 1em; }
</style>
</head>
<body>
<h1>{{ report.case }}: mesh level {{ report.level }}</h1>
{% if picture %}
<img src="data:image/png;base64,{{ picture }}" alt="The mesh, cut open along its axis">
{% else %}
<p class="warning">There is no picture: {{ trouble }}.</p>
{% endif %}
{% for finding in report.findings %}
<p class="warning">{{ finding.text }}</p>
{% endfor %}
<table>
<tr><th>Body</th><td>{{ report.body }}</td></tr>
<tr><th>Cells</th><td>{{ report.cells|count }}, each a second-order {{ report.element }}</td></tr>
<tr><th>Nodes</th><td>{{ report.nodes|count }}, of which {{ report.corners|count }}
corners</td></tr> <tr><th>Unknowns</th><td>{{ report.unknowns|count }}: displacement at nodes,
pressure at corners</td></tr> {% if report.size %}
<tr><th>Size at level 0</th><td>{{ "%.4g" % (1e3 * report.size) }} mm</td></tr>
{% endif %}
<tr><th>Mean size</th><td>{{ "%.4g" % (1e3 * report.mean_size) }} mm, cube root of the mean
volume of a cell</td></tr>
<tr><th>Scaled Jacobian</th><td>least {{ "%.3g" % report.quality.least }}, 5 % below
{{ "%.3g" % report.quality.p05 }}, median {{ "%.3g" % report.quality.median }}</td></tr>
<tr><th>SHA-256</th><td><code>{{ report.hash }}</code></td></tr>
</table>
{% for title, measures, unit, scale in tables if measures %}
<h2>{{ title }}</h2>
<table>
<tr><th>Group</th><th class="n">Tag</th><th class="n">Elements</th>
<th class="n">Mesh ({{ unit }})</th><th class="n">Closed form ({{ unit }})</th><th
class="n">Relative error</th></tr> {% for m in measures %}
<tr><td>{{ m.name }}</td><td class="n">{{ m.tag }}</td><td class="n">{{ m.elements|count }}</td>
<td class="n">{{ "%.6g" % (scale * m.value) }}</td>
{% if m.exact is not none %}
<td class="n">{{ "%.6g" % (scale * m.exact) }}</td><td class="n">{{ "%.1e" % m.error }}</td>
{% else %}
<td class="n">not known</td><td></td>
{% endif %}
</tr>
{% endfor %}
</table>
{% endfor %}
</body>
</html>
"""


def draw(mesh: Path, picture: Path) -> str | None:
    """Draw a mesh in a process of its own, and return what went wrong, if anything."""
    picture.unlink(missing_ok=True)  # one of an earlier mesh would mislead
    return draw_apart("loligo.meshes.picture", mesh, picture)


def write_page(report: MeshReport, page: Path, picture: Path, trouble: str | None) -> None:
    """Write the page, with the picture in it unless there was trouble with it."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["count"] = "{:,}".format
    text = environment.from_string(_PAGE).render(
        report=report,
        picture=None if trouble else base64.b64encode(picture.read_bytes()).decode(),
        trouble=trouble,
        tables=(
            ("Volumes", report.volumes, "cm^3", 1e6),
            ("Cavities", report.cavities, "cm^3", 1e6),
            ("Facets", report.areas, "cm^2", 1e4),
        ),
    )
    files.replace(page, text)

import base64, shutil
from pathlib import Path
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.performance import (
    handover,
    page,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.performance import (
    runs,
)
from .test_performance import NODE, LEAF


def shoot(visit, path, name, width=1280):
    p = visit(path)
    h = p.eval("document.documentElement.scrollHeight")
    p.call(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=min(int(h), 6000),
        deviceScaleFactor=1,
        mobile=False,
    )
    data = p.call("Page.captureScreenshot", format="png")["data"]
    Path(f"/tmp/looks17/{name}.png").write_bytes(base64.b64decode(data))


def test_shot(visit, tmp_path):
    fabric = example("lab")
    rec = runs.of(fabric, slow={(NODE, 1): 0.48}, suspects=[runs.cable(NODE, LEAF)])
    a = tmp_path / "a.html"
    a.write_text(page.page(rec, runs.of(fabric, seed=2, run="20261101T000000Z")))
    shoot(visit, a, "slow")
    b = tmp_path / "b.html"
    b.write_text(handover.handover(rec))
    shoot(visit, b, "hand", 900)
    for p in Path("/tmp/looks17").glob("report-*/performance/*Z.html"):
        shoot(visit, p, p.parent.parent.name)
        shoot(visit, p, p.parent.parent.name + "-phone", 390)
    for p in Path("/tmp/looks17").glob("report-*/performance/*handover.html"):
        shoot(visit, p, p.parent.parent.name + "-hand", 900)

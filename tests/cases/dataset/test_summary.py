"""Where a body is at every step: what the rows say."""

from loligo.cases.case_file import load
from loligo.cases.dataset.summary import summary
from loligo.reduced.predict.predict import predict


def test_a_motion_says_when():
    found = predict(load("cylinder"))
    assert "time [s]" not in summary(found)[0]  # not a number: at rest
    found["time"] = found["time"].copy(data=[0.0, 0.1, 0.2, 0.3])
    assert [row["time [s]"] for row in summary(found)] == [0.0, 0.1, 0.2, 0.3]

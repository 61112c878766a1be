"""What the tests share: the two engines, the WMT23 texts, the profiles of the property tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

import chrf
from chrf.core import blocks
from chrf.core.forms import fields, segments
from chrf.kernel import count as kernel
from chrf.kernel import reference

settings.register_profile(
    "tests",
    max_examples=250,
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
)
# The differential tests of test_kernel.py, of which there are two, run once per path: 12 paths, so
# 60,000 cases each.
settings.register_profile("few", settings.get_profile("tests"), max_examples=80)  # Makefile
settings.register_profile("fuzz", settings.get_profile("tests"), max_examples=5000)
settings.load_profile("fuzz" if os.environ.get("CHRF_FUZZ") == "1" else "tests")


class Engine:
    """The public functions, counting with the kernel or with its twin."""

    def __init__(self, module):
        self.module = module
        self.count = module.count

    def corpus_score(self, *texts, **keywords):
        return self._call(chrf.corpus_score, texts, keywords)

    def segment_scores(self, *texts, **keywords):
        return self._call(chrf.segment_scores, texts, keywords)

    def counts(self, *texts, **keywords):
        return self._call(chrf.counts, texts, keywords)

    def _call(self, function, texts, keywords):
        with pytest.MonkeyPatch.context() as patch:
            for module in (blocks, fields, segments):
                patch.setattr(module, "kernel", self.module)
            return function(*texts, **keywords)


@pytest.fixture(scope="session", params=[reference, kernel], ids=["reference", "kernel"])
def engine(request):
    return Engine(request.param)


@pytest.fixture(scope="session")
def wmt23():
    """The folder of WMT23 texts (CHRF_WMT23, or ../shared/wmt23 beside the repository)."""
    repository = Path(__file__).parent.parent
    folder = Path(os.environ.get("CHRF_WMT23", repository / "../shared/wmt23"))
    if not folder.is_dir():
        pytest.skip(f"the WMT23 texts are not at {folder}; set CHRF_WMT23 to their folder")
    return folder


def pytest_collectreport(report):
    """Fail where pytest would skip a test file that cannot be imported.

    ``--doctest-ignore-import-errors``, which modules of missing extras need, covers test files too.
    """
    test_file = report.nodeid.startswith("tests/")
    if test_file and report.skipped and "unable to import module" in str(report.longrepr):
        raise pytest.UsageError(f"{report.nodeid}: {report.longrepr}")

"""Compressors audited in each library, and claims on them: LIBRARIES."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from experiments.findings import peers


@final
@dataclass(frozen=True)
class Claimed:
    """One compressor: what ``rateproof audit`` is given, and where the claim stands.

    Attributes:
        title: the library's own name of it.
        subject: MODULE:ATTRIBUTE.
        options: of the command, the claims among them.
        source: paper, README or docstring that makes the claim; empty: none is made.
    """

    title: str
    subject: str
    options: tuple[str, ...] = ()
    source: str = ""


@final
@dataclass(frozen=True)
class Library:
    """A public repository and what is audited of it.

    Attributes:
        key: what its checkout is called on the command line.
        repository: owner and name on GitHub.
        folder: below the checkout, what goes on the import path.
        claimed: its compressors.
    """

    key: str
    repository: str
    claimed: tuple[Claimed, ...]
    folder: str = "."


_OURS = peers.__name__
_GRACE = "grace_dl.dist.compressor"
_K = "max(1, floor(d/4))"
_STICH = "Stich, Cordonnier, Jaggi 2018 (1809.07599), Lemma A.1"
_SIGN = "Karimireddy et al. 2019 (1901.09847), Lemma 8"
_QSGD = "Alistarh et al. 2017 (1610.02132), Lemma 3.1"

LIBRARIES = (
    Library(
        "grace",
        "sands-lab/grace",
        (
            Claimed("TopKCompressor(0.25)", f"{_OURS}:grace_top_k", ("--delta", f"{_K}/d"), _STICH),
            Claimed(
                "RandomKCompressor(0.25)", f"{_OURS}:grace_random_k",
                ("--delta", f"{_K}/d"), _STICH,
            ),
            Claimed(
                "ThresholdCompressor(0.01)", f"{_OURS}:grace_threshold",
                ("--bits", "32*d"), "no longer than uncompressed",
            ),
            Claimed(
                "QSGDCompressor(64)", f"{_OURS}:grace_qsgd",
                ("--unbiased", "--omega", "min(min(d,128)/64**2, sqrt(min(d,128))/64)"),
                f"{_QSGD}, buckets of 128",
            ),
            Claimed(
                "TernGradCompressor", f"{_GRACE}.terngrad:TernGradCompressor",
                ("--unbiased",), "Wen et al. 2017 (1705.07878), Eq. 4",
            ),
            Claimed("EFSignSGDCompressor", f"{_OURS}:grace_ef_sign", ("--delta", "1/d"), _SIGN),
            Claimed(
                "OneBitCompressor", f"{_GRACE}.onebit:OneBitCompressor",
                ("--delta", "1/d"), "Seide et al. 2014: each side is read as its mean",
            ),
            Claimed("DgcCompressor(0.25)", f"{_OURS}:grace_dgc"),
            Claimed("FP16Compressor", f"{_GRACE}.fp16:FP16Compressor"),
            Claimed("SignSGDCompressor", f"{_GRACE}.signsgd:SignSGDCompressor"),
        ),
    ),
    Library(
        "choco",
        "epfml/ChocoSGD",
        (
            Claimed("top_k, ratio 0.75", f"{_OURS}:choco_top_k", ("--delta", f"{_K}/d"), _STICH),
            Claimed(
                "random_k, ratio 0.75, is_biased=True", f"{_OURS}:choco_random_k",
                ("--delta", f"{_K}/d"), _STICH,
            ),
            Claimed(
                "random_k, ratio 0.75, is_biased=False", f"{_OURS}:choco_random_k_unbiased",
                ("--unbiased", "--omega", f"d/{_K} - 1"), "its argument is_biased=False",
            ),
            Claimed(
                "quantize_qsgd, 2 bits, is_biased=False", f"{_OURS}:choco_qsgd",
                ("--unbiased", "--omega", "min(d/9, sqrt(d)/3)"), _QSGD,
            ),
            Claimed(
                "quantize_qsgd, 2 bits, is_biased=True", f"{_OURS}:choco_qsgd_biased",
                ("--delta", "1/(1 + min(d/9, sqrt(d)/3))"),
                "Koloskova, Stich, Jaggi 2019 (1902.00340), Section 3.5",
            ),
        ),
        "dl_code",
    ),
    Library(
        "error-feedback",
        "epfml/error-feedback-SGD",
        (
            Claimed(
                "scaled_sign", "optimizers.ErrorFeedbackSGD:scaled_sign", ("--delta", "1/d"), _SIGN
            ),
            Claimed("unscaled_sign", "optimizers.ErrorFeedbackSGD:unscaled_sign"),
        ),
    ),
    Library(
        "powersgd",
        "epfml/powersgd",
        (Claimed("BasicPowerSGD, rank 2", f"{_OURS}:power_sgd", ("--matrix",)),),
    ),
)  # fmt: skip

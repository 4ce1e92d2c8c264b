"""Report of a communication hook: bits both ways, compression error, by step and in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class HookStep:
    """One step of one rank.

    step           number of the step, from 0; steps that were skipped count
    sent_bits      of this rank's message, by its code [bits]
    received_bits  of the other ranks' messages, as they arrived, padded to whole bytes [bits]
    dense_bits     of the gradient uncompressed, in the type it is compressed in [bits]
    error_norm     ||C(p) - p|| / ||p|| of this rank's message p; 0 where p = 0
    skipped        nothing was sent: a gradient was not finite, or the learning rate was 0
    """

    step: int
    sent_bits: int
    received_bits: int
    dense_bits: int
    error_norm: float
    skipped: bool

    @property
    def ratio(self) -> float:
        """Uncompressed over sent length; infinite where nothing was sent."""
        return self.dense_bits / self.sent_bits if self.sent_bits else float("inf")


@final
@dataclass(frozen=True)
class HookReport:
    """All steps so far of one rank.

    steps          taken, the skipped ones among them
    skipped        steps in which nothing was sent
    sent_bits      in all [bits]
    received_bits  in all [bits]
    dense_bits     what the sent messages would have been uncompressed [bits]
    error_norm     mean of ||C(p) - p|| / ||p|| over the steps that sent
    """

    steps: int = 0
    skipped: int = 0
    sent_bits: int = 0
    received_bits: int = 0
    dense_bits: int = 0
    error_norm: float = 0.0

    @property
    def ratio(self) -> float:
        """Uncompressed over sent length; 1 before anything was sent."""
        return self.dense_bits / self.sent_bits if self.sent_bits else 1.0

    def with_step(self, step: HookStep) -> HookReport:
        """The report after one more step."""
        if step.skipped:
            return HookReport(
                self.steps + 1, self.skipped + 1, self.sent_bits, self.received_bits,
                self.dense_bits, self.error_norm,
            )  # fmt: skip
        sent = self.steps - self.skipped
        return HookReport(
            self.steps + 1,
            self.skipped,
            self.sent_bits + step.sent_bits,
            self.received_bits + step.received_bits,
            self.dense_bits + step.dense_bits,
            (self.error_norm * sent + step.error_norm) / (sent + 1),
        )

    def __str__(self) -> str:
        return (
            f"{self.steps} steps, {self.skipped} skipped; {self.sent_bits} bits sent, "
            f"{self.received_bits} received, {self.ratio:.3g} times less than uncompressed; mean "
            f"error {self.error_norm:.3g} of a message"
        )

"""A node asks its daemon for as long as its lease lets it."""

from __future__ import annotations

from pathlib import Path

from elastic.agent.asking import ask_until_answered
from elastic.agent.lease import Lease


class Short(Lease):
    """A lease that is over after so many questions."""

    def __init__(self, work_dir: Path, *, questions: int) -> None:
        super().__init__(work_dir, first_s=600.0)
        self.asked = 0
        self.questions = questions

    @property
    def left_s(self) -> float:
        return 1e-6 * (self.questions - self.asked)

    def ask(self) -> str | None:
        self.asked += 1
        return "answer" if self.asked == 3 else None


def test_the_first_answer_counts(tmp_path: Path) -> None:
    lease = Short(tmp_path, questions=10)
    assert ask_until_answered(lease.ask, lease) == "answer"
    assert lease.asked == 3


def test_nobody_is_asked_once_the_lease_is_over(tmp_path: Path) -> None:
    lease = Short(tmp_path, questions=2)
    assert ask_until_answered(lease.ask, lease) is None
    assert lease.asked == 2
    over = Short(tmp_path, questions=0)
    assert ask_until_answered(over.ask, over) is None
    assert over.asked == 0

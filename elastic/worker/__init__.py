"""What a training script imports: it marks turns, and reports checkpoints, notes and its end."""

from elastic.worker.hook import checkpointed, drained, finished, note, paramount

__all__ = ["checkpointed", "drained", "finished", "note", "paramount"]

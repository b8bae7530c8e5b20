"""What a training script imports: the paramount hook, the safe point and the words a worker says
about itself."""

from elastic.worker.hook import checkpointed, drained, finished, note, paramount

__all__ = ["checkpointed", "drained", "finished", "note", "paramount"]

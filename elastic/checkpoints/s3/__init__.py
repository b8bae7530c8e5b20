"""A bucket of checkpoints, and the proof that it does what they need. Importing it loads boto3."""

from elastic.checkpoints.s3.bucket import Bucket, connect
from elastic.checkpoints.s3.proof import check_bucket

__all__ = ["Bucket", "check_bucket", "connect"]

"""What a machine's metadata service says of the role that it has."""

from __future__ import annotations

ROLE = {
    "Code": "Success",
    "AccessKeyId": "of-the-role",
    "SecretAccessKey": "s",
    "Token": "t",
    "Expiration": "2099-01-01T00:00:00Z",
}

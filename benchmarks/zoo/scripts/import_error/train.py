"""Imports a package that nobody has installed."""

from runlog import log

log("started")

import torch  # noqa: E402
from some_package_that_is_missing import Model  # noqa: E402

model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

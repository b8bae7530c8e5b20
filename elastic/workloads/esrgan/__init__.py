"""Super-resolution by a GAN (ESRGAN, arXiv:1809.00219), trained the same on any fleet.

Importing this package needs no torch: the modules that train import it themselves.
"""

from elastic.workloads.esrgan.files import looked_over, placed
from elastic.workloads.esrgan.options import GAN, PRESETS, WARMUP, EsrganOptions, phases

__all__ = ["GAN", "PRESETS", "WARMUP", "EsrganOptions", "looked_over", "phases", "placed"]

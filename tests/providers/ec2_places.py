"""Where the tests' EC2 is."""

from elastic.model import Capacity, Offering

HERE = Offering("c5.large", Capacity.ON_DEMAND, "us-east-1a")

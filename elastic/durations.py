"""Durations that several rooms must agree on, each with its source."""

from __future__ import annotations

MINUTE_S = 60.0
HOUR_S = 3600.0
DAY_S = 86_400.0

# Defaults of the daemon. A person may set each of them (docs/reference/settings.md).

# Nodes report every second, so that a node that is cut off is missed within three (decision 0100).
HEARTBEAT_S = 1.0
# The daemon looks at the world every five seconds: a boot takes a minute, so five more are little.
TICK_S = 5.0
# A node whose heartbeats get no answer ends itself after ten minutes: a daemon that is restarted or
# updated is back sooner, and ten minutes of a machine are cents.
LEASE_S = 600.0
# A node that has not registered by the time at which it would end itself is given up. The slowest
# boot that we know installs torch for CUDA, and takes two minutes (`elastic.market`).
REGISTER_S = LEASE_S
# Workers may take half a minute to reach a safe point. A spot notice comes two minutes before the
# end, and the checkpoint must be stored in what is left.
DRAIN_GRACE_S = 30.0
# A minute without a turn is worth telling a person (decision 0100).
STANDSTILL_S = MINUTE_S
# Two opposite changes are ten minutes apart, so that noise in prices and speeds moves no job
# back and forth (tests/policy/test_properties.py).
COOLDOWN_S = 600.0
# Until one was measured, a change pauses training for a drain's grace.
SWITCH_PAUSE_PRIOR_S = DRAIN_GRACE_S
# Until one was measured, a boot takes a minute. Half of it is for EC2 itself.
BOOT_PRIOR_S = MINUTE_S
# A lease of burn is kept back from a budget, for a stop in good order: a node that cannot be
# reached costs that much. A drain and the last checkpoint take less.
WIND_DOWN_S = LEASE_S
# On-demand prices change by the month, and lists are published daily. Spot prices change by the
# hour (decision 0026).
PRICE_MAX_AGE_S = DAY_S
SPOT_PRICE_MAX_AGE_S = HOUR_S
# A pool that goes on refusing is asked again every ten minutes: spot capacity comes and goes by the
# hour, and each attempt uses up EC2's limit of requests.
POOL_ASKED_AGAIN_S = 600.0
# Any other block lasts twice as long each time, up to half an hour.
LONGEST_BLOCK_S = 1800.0

# Facts about EC2.

# Linux is billed by the second, for a minute at least (aws.amazon.com/ec2/pricing/on-demand).
MINIMUM_BILLED_S = MINUTE_S
# A spot instance is told two minutes before it is taken back (EC2 User Guide, "Spot Instance
# interruption notices").
NOTICE_S = 120.0
# A spot instance that is taken back within its first hour is free (EC2 User Guide, "Billing for
# interrupted Spot Instances").
FREE_S = HOUR_S
# A terminated instance is listed for about an hour (EC2 User Guide, "Terminate EC2 instances").
GONE_LISTED_S = HOUR_S
# A new instance is listed within this time of its launch: eventual consistency, seconds as a rule
# (EC2 API Reference, "Eventual consistency").
LISTED_WITHIN_S = 120.0
# Spot prices are kept for 90 days (EC2 API Reference, DescribeSpotPriceHistory).
HISTORY_DAYS = 90.0
HISTORY_S = HISTORY_DAYS * DAY_S
# AWS refuses what was signed by a clock that is further off (Signature Version 4,
# "Troubleshooting").
AWS_SKEW_S = 300.0

# Facts about this project's own parts.

# A window of measurements closes after half a second, or after one turn if that takes longer.
WINDOW_S = 0.5
# A quota of a processor's time is kept in periods of 20 ms. At 100 ms the times of iterations
# become bimodal, at 10 ms iterations take 20 to 30 % longer (decision 0022).
QUOTA_PERIOD_S = 0.02
# A machine on EC2 whose keep-alive tag is older may be taken for abandoned (`elasticd gc`): without
# its daemon it ends itself after a lease, and clocks may differ.
ABANDONED_S = LEASE_S + AWS_SKEW_S
# What a person may look at is kept for a month after its end: 45 decisions of 8 KB a day, as a spot
# market with three pools gives, are 11 MB a job.
LONG_KEPT_S = 30 * 86_400.0

# Waits. A part takes one of these, unless a measurement, or a fact from outside, asks for another.

# What may come at any moment is looked for a hundred times a second. A look takes microseconds
# here, and less than a millisecond at a store in the same network.
SPIN_S = 0.01
# What a process on this machine does is seen within a tenth of a second: a person feels no delay
# (Nielsen, "Usability Engineering", section 5.5).
GLANCE_S = 0.1
# What another machine does is seen within a second, as often as nodes report.
LOOK_S = HEARTBEAT_S
# What is about to happen gets a second: a process's end after its last word, a neighbour's report.
MOMENT_S = 1.0
# What is not urgent is looked at every ten seconds.
SELDOM_S = 10.0
# What failed is tried again after half a second, then after twice as long each time, up to half a
# minute. A peer that is restarted is met soon, and one that is gone gets two requests a minute.
RETRY_S = 0.5
LONGEST_RETRY_S = 30.0
# A peer that is there accepts a connection within three seconds: one packet may be lost, and is
# sent again after one second (RFC 6298).
CONNECT_TIMEOUT_S = 3.0
# A request that needs no work is answered within ten seconds, also by a busy machine.
ANSWER_TIMEOUT_S = 10.0
# A step of a transfer, or a command that does real work, takes a minute at most.
TRANSFER_TIMEOUT_S = 60.0
# What is told to end is waited for five seconds. A thread looks at least once a second, and its
# process ends without it.
END_GRACE_S = 5.0

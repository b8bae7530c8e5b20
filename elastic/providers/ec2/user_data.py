"""The script that a machine runs at its first boot: it installs the agent, runs it, and ends with
the machine's end."""

from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Mapping
from urllib.parse import urlsplit

from elastic.distribution import Wheel
from elastic.errors import ProviderError

MOST_BYTES = 16_384  # EC2 User Guide, "User data and the AWS CLI": 16 KB before base64.
# What the agent gets beyond its lease to leave by itself, before the timer powers the machine off.
LEASE_GRACE_S = 30

# uv and not pip alone: it knows where torch's builds for CPUs are (UV_TORCH_BACKEND), which pip
# must be told. Not below /tmp: on Amazon Linux 2023 that is memory, half of it at most, and torch
# unpacks to several GB.
DEFAULT_BOOTSTRAP = """\
find_python() {
  for python in python3 python3.13 python3.12 python3.11; do
    if "$python" -c "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; then return; fi
  done
  return 1
}
if ! find_python; then
  if command -v dnf >/dev/null; then
    dnf install -q -y python3.11
  else
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y -o DPkg::Lock::Timeout=120 python3-venv
  fi
  if ! find_python; then
    echo "elasticd: wanted Python 3.11 or newer with venv, found none; set ec2.bootstrap" >&2
    exit 1
  fi
fi
"$python" -m venv /opt/elasticd
/opt/elasticd/bin/pip install --quiet --no-cache-dir uv
TMPDIR=/var/tmp /opt/elasticd/bin/uv pip install --quiet --no-cache --python /opt/elasticd \\
  "elasticd[train] @ $ELASTICD_WHEEL"
export PATH="/opt/elasticd/bin:$PATH"
"""

# Machines of the lab have no GPU, whatever their type: they calculate on the CPU, and cost nothing.
_DRIVER = """
if [ "$is_ec2" = yes ] && ! nvidia-smi -L | grep '^GPU '; then
  power_off "wanted GPUs that NVIDIA's driver runs, found none by nvidia-smi -L; set ec2.ami_parameter_gpu"
fi
"""

_SCRIPT = """\
#!/bin/sh
# Made by elasticd. Whatever ends this script ends the machine, which is terminated by its shutdown.
set -eu
umask 077
# The hard ways are for a machine that is EC2's and whose cloud-init runs this: another may be a process among others.
is_own=no is_ec2=no
case $0 in /var/lib/cloud/*) is_own=yes ;; esac
if [ "$is_own" = yes ] && grep -qsi amazon /sys/class/dmi/id/*_ve*; then is_ec2=yes; fi

force_off() {{
  if [ "$is_ec2" = yes ]; then echo o >/proc/sysrq-trigger || true; fi
}}

# systemd's last program takes the place of init: nothing comes after it, and it goes on to the end by itself, but first
# it waits 90 seconds for whoever ignores its SIGTERM. Before that a stop may hang or be taken back, and nobody leaves.
leave_to_init() {{
  init=
  {{ read -r init </proc/1/comm; }} 2>/dev/null || true
  if [ "$init" = systemd-shutdow ]; then trap - EXIT; exit 0; fi  # Of a name the kernel keeps 15 characters.
}}

power_off() {{
  set +e
  trap 'force_off; exec shutdown -h now' EXIT  # They need no fork: where there is none to be had, the shell ends.
  trap '' HUP INT PIPE
  trap leave_to_init TERM
  leave_to_init
  # Nothing is waited for that may hang for ever, not to be killed, as a lost NFS does; nor is a way tried only once.
  echo "elasticd: powering off: $1" >&2 &
  sync &
  for second in 1 2 3 4 5 6 7 8 9 10; do if kill -0 $! 2>/dev/null; then sleep 1; fi; done
  while :; do
    for way in "shutdown -h now" poweroff "halt -p" "shutdown -h now"; do
      $way &
      sleep 30
    done
    if [ "$is_own" = yes ]; then
      poweroff -ff &
      sleep 30
      force_off
    fi
  done
}}
trap 'power_off "the script ended"' EXIT

# This script runs once: a machine that boots again, after a panic or by EC2's doing, has neither agent nor timer.
# Another that is made from an image of this one may boot: the board's tag is an instance's id.
if [ "$is_own" = yes ]; then
  boots=/var/lib/cloud/scripts/per-boot tag=/sys/class/dmi/id/board_asset_tag
  mkdir -p "$boots"
  cat >"$boots/elasticd" <<ELASTICD_END
#!/bin/sh
# Made by elasticd: it powers this machine off when it boots again.
[ "\\$(cat $tag 2>/dev/null)" = "$(cat "$tag" 2>/dev/null || true)" ] || exit 0
while :; do
  for way in "shutdown -h now" poweroff "poweroff -ff"; do
    \\$way &
    sleep 60
  done
done
ELASTICD_END
  chmod 700 "$boots/elasticd"
fi

dir="${{HOME:-/root}}/elasticd"
mkdir -p "$dir/work"
cd "$dir"
cut -d" " -f1 /proc/uptime >began_s
cat /proc/net/dev >traffic

# Counts seconds without a renewal of the lease, so that no jump of a clock matters. There are two timers: one that is
# stopped leaves the other, and one that is gone, as this script if it is, ends the machine.
timer() {{
  trap 'force_off; exec shutdown -h now' EXIT
  trap 'power_off "a timer was told to end"' INT TERM
  trap '' HUP
  echo -900 2>/dev/null >/proc/self/oom_score_adj || true
  idle_s=0 last= limit_s={boot_limit_s}
  while sleep 2; do
    now=$(cat work/lease.json 2>/dev/null || true)
    if [ "$now" = "$last" ]; then idle_s=$((idle_s + 2)); else idle_s=0 last=$now limit_s={limit_s}; fi
    if [ "$idle_s" -ge "$limit_s" ]; then power_off "the lease is over"; fi
    for pid in $$ $(cat timers 2>/dev/null); do
      kill -0 "$pid" 2>/dev/null || power_off "a timer or the script was killed"
    done
  done
  power_off "the timer ended"
}}
timer </dev/null &
first=$!
timer </dev/null &
echo "$first $!" >timers

cat >given.json <<'ELASTICD_END'
{given}
ELASTICD_END

ELASTICD_WHEEL={wheel}
{packages}
{bootstrap}
{driver}
python3 - "$dir" <<'ELASTICD_END'
import json, os, sys
from elastic.agent.imds import Imds, imds_url
from elastic.clock import SystemClock
from elastic.errors import ProviderUnavailable
from elastic.retrying import retried
def received(path):
    lines = [line.partition(":") for line in open(path) if ":" in line]
    return sum(int(counts.split()[0]) for name, _, counts in lines if name.strip() != "lo")
setup_s = float(open("/proc/uptime").read().split()[0]) - float(open("began_s").read())
setup_bytes = max(0, received("/proc/net/dev") - received("traffic"))
imds = Imds(imds_url(), timeout_s=5)
def told(ask):  # The service may not listen yet: it is asked for 12 seconds at least.
    return retried(ask, on=ProviderUnavailable, first_s=0.5, longest_s=8, attempts=7, sleep=SystemClock().sleep)
instance_id, address = told(imds.instance_id), told(imds.local_ipv4)
own = {{"instance_id": instance_id, "work_dir": sys.argv[1] + "/work", "advertise_host": address}}
own |= {{"setup_s": round(setup_s, 2), "setup_bytes": setup_bytes}}
config = json.load(open("given.json")) | own
with open(os.open("agent.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
    json.dump(config, file)
os.remove("given.json")
ELASTICD_END

python3 -m elastic.agent --config agent.json
power_off "the agent ended"
"""


def wheel_url(wheel: Wheel, *, daemon_url: str) -> str:
    """Where a node gets the elasticd of its daemon, with the sum that pip checks."""
    return f"{daemon_url}{wheel.path}#sha256={wheel.sha256}"


def package_source(index: str | None, *, has_gpu: bool) -> str:
    """The shell line by which pip and uv know where packages are: in an index of one's own, or
    torch's for the machine.

    >>> package_source(None, has_gpu=False), package_source(None, has_gpu=True)
    ('export UV_TORCH_BACKEND=cpu', 'export UV_TORCH_BACKEND=auto')
    >>> package_source("https://index.example/simple", has_gpu=False)
    'export PIP_INDEX_URL=https://index.example/simple UV_DEFAULT_INDEX=https://index.example/simple'
    """
    if index is None:
        return f"export UV_TORCH_BACKEND={'auto' if has_gpu else 'cpu'}"
    url = shlex.quote(index)
    parts = urlsplit(index)
    # pip refuses an index without TLS unless it is told to trust it; who names one in the settings
    # does.
    trusted = ""
    if parts.scheme == "http":
        trusted = f" PIP_TRUSTED_HOST={shlex.quote(parts.netloc.rpartition('@')[2])}"
    return f"export PIP_INDEX_URL={url} UV_DEFAULT_INDEX={url}{trusted}"


def user_data(
    given: Mapping[str, object],
    *,
    bootstrap: str | None,
    wheel: str = "",
    packages: str = "",
    has_nvidia: bool = False,
    lease_s: float,
    boot_s: float = 0.0,
) -> bytes:
    """The script of the machines of one launch, compressed where it would be too long otherwise.

    `given` is the agent's configuration but for what only the machine knows: its id, its address,
    its folder, and what the bootstrap took. `bootstrap` are shell lines after which `python3` has
    elasticd, None for the usual ones. They find `wheel` in ELASTICD_WHEEL, and `packages`, the line
    of `package_source`, comes before them. After them a machine of EC2 that `has_nvidia` must show
    a GPU, or it ends: it would train on its CPU. Until the agent notes its first lease the machine
    has `boot_s`, and a lease at least: a bootstrap may take longer than a lease. Raises
    ProviderError if the script is too long even so.
    """
    script = _SCRIPT.format(
        limit_s=round(lease_s) + LEASE_GRACE_S,
        boot_limit_s=round(max(lease_s, boot_s)) + LEASE_GRACE_S,
        given=json.dumps(given),
        bootstrap=(DEFAULT_BOOTSTRAP if bootstrap is None else bootstrap).strip(),
        wheel=shlex.quote(wheel),
        packages=packages,
        driver=_DRIVER if has_nvidia else "",
    ).encode()
    if len(script) <= MOST_BYTES:
        return script
    packed = gzip.compress(
        script, mtime=0
    )  # cloud-init unpacks it. No time in it: a repeated request is the same.
    if len(packed) <= MOST_BYTES:
        return packed
    raise ProviderError(
        f"user data: wanted at most {MOST_BYTES} bytes, got {len(packed)} after compression; "
        "shorten ec2.bootstrap "
        "or the job's environment"
    )

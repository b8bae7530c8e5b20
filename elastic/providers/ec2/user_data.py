"""The script of a machine's first boot: it installs and runs the agent, then ends the machine."""

from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Mapping
from urllib.parse import urlsplit

from elastic.distribution import Wheel, pythons
from elastic.durations import DRAIN_GRACE_S
from elastic.errors import ProviderError

# EC2 User Guide, "User data and the AWS CLI": 16 KB before base64.
MOST_BYTES = 16_384
# Where the script puts the agent's files, as a word of the shell on the machine.
WORK_FOLDER = "~/elasticd/work"
# How the script begins to say why it ends the machine.
POWERING_OFF = "elasticd: powering off"
# The agent's time beyond its lease to end by itself, before the timer powers the machine off.
LEASE_GRACE_S = round(DRAIN_GRACE_S)

# With uv, since it finds torch's builds for CPUs by itself (UV_TORCH_BACKEND). Not below /tmp,
# which on Amazon Linux 2023 is in memory, while torch unpacks to several GB.
DEFAULT_BOOTSTRAP = f"""\
find_python() {{
  for python in {pythons()}; do
    if "$python" -c "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))" \\
      2>/dev/null; then return; fi
  done
  return 1
}}
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

# The lab's machines have no GPU, whatever their type, and compute on the CPU.
_DRIVER = """
if [ "$is_ec2" = yes ] && ! nvidia-smi -L | grep '^GPU '; then
  power_off "wanted GPUs with NVIDIA's driver, found none by nvidia-smi -L; set \\
ec2.ami_parameter_gpu"
fi
"""

_SCRIPT = """\
#!/bin/sh
# Made by elasticd. When this script ends, it shuts the machine down, which terminates it.
set -eu
umask 077
# Forced ways to power off are only for a machine of EC2 whose cloud-init runs this script. In a lab
# the machine may be a process among others.
is_own=no is_ec2=no
case $0 in /var/lib/cloud/*) is_own=yes ;; esac
if [ "$is_own" = yes ] && grep -qsi amazon /sys/class/dmi/id/*_ve*; then is_ec2=yes; fi

force_off() {{
  if [ "$is_ec2" = yes ]; then echo o >/proc/sysrq-trigger || true; fi
}}

# At last systemd-shutdown replaces init. From then on the machine will power off, but it waits 90
# seconds for processes that ignore SIGTERM, so this script must end. Before that a shutdown may
# hang or be cancelled, and this script must go on.
leave_to_init() {{
  init=
  {{ read -r init </proc/1/comm; }} 2>/dev/null || true
  # The kernel keeps 15 characters of a name.
  if [ "$init" = systemd-shutdow ]; then trap - EXIT; exit 0; fi
}}

power_off() {{
  set +e
  # These need no fork: where a fork fails, the shell ends.
  trap 'force_off; exec shutdown -h now' EXIT
  trap '' HUP INT PIPE
  trap leave_to_init TERM
  leave_to_init
  # Some commands may hang for ever and cannot be killed, as on a lost NFS, so none is waited for.
  # Each way to power off is tried repeatedly.
  echo "{powering_off}: $1" >&2 &
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

# This script runs once. A machine that boots again, after a panic or by EC2, has no agent and no
# timer, so it must power off. Another machine from an image of this one may boot; the board's tag,
# which is the instance's id, tells them apart.
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

# systemd gives cloud-init no HOME, which the job's own commands may need.
export HOME="${{HOME:-/root}}"
dir="$HOME/elasticd"
mkdir -p "$dir/work"
cd "$dir"
cut -d" " -f1 /proc/uptime >began_s
cat /proc/net/dev >traffic

# Counts seconds without a renewal of the lease, so that changes of the clock do not matter. There
# are two timers, since one may be stopped. If a timer or this script is killed, the machine ends.
timer() {{
  trap 'force_off; exec shutdown -h now' EXIT
  trap 'power_off "a timer was told to end"' INT TERM
  trap '' HUP
  echo -900 2>/dev/null >/proc/self/oom_score_adj || true
  idle_s=0 last= limit_s={boot_limit_s}
  while sleep 2; do
    now=$(cat work/lease.json 2>/dev/null || true)
    if [ "$now" = "$last" ]; then
      idle_s=$((idle_s + 2))
    else
      idle_s=0 last=$now limit_s={limit_s}
    fi
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

ELASTICD_WHEEL=
wheel={wheel}
if [ -n "$wheel" ]; then
  file=${{wheel##*/}}
  file=${{file%%#*}}
  # Installers do not know the daemon's certificate, so they get a file. They check its sum.
  for attempt in 1 2 3 4 5; do
    if python3 - "$wheel" "$file" <<'ELASTICD_END'
import json, ssl, sys, urllib.request as request
given = json.load(open("given.json"))
trust = ssl.create_default_context(cadata=given["daemon_certificate"])
trust.check_hostname = False
opener = request.build_opener(request.ProxyHandler({{}}), request.HTTPSHandler(context=trust))
path = sys.argv[1].partition("#")[0][len(given["daemon_url"]):]
for url in (given["daemon_url"], *given.get("other_urls", ())):
    try:
        with opener.open(url + path, timeout=60) as answer, open(sys.argv[2], "wb") as file:
            file.write(answer.read())
        sys.exit()
    except OSError as error:
        print(url, error, file=sys.stderr)
sys.exit(1)
ELASTICD_END
    then ELASTICD_WHEEL="file://$dir/$file#${{wheel##*#}}" && break; fi
    sleep "$attempt"
  done
  if [ -z "$ELASTICD_WHEEL" ]; then power_off "the daemon did not give it elasticd"; fi
fi
{packages}
{bootstrap}
{driver}
python3 - "$dir" "$is_ec2" <<'ELASTICD_END'
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
def told(ask):  # The service may not listen yet, so it is asked for 12 seconds at least.
    sleep = SystemClock().sleep
    return retried(
        ask, on=ProviderUnavailable, first_s=0.5, longest_s=8, attempts=7, sleep=sleep
    )
instance_id, address = told(imds.instance_id), told(imds.local_ipv4)
own = {{"instance_id": instance_id, "work_dir": sys.argv[1] + "/work", "advertise_host": address}}
own |= {{"setup_s": round(setup_s, 2), "setup_bytes": setup_bytes}}
own |= {{"may_install": sys.argv[2] == "yes"}}
config = json.load(open("given.json")) | own
with open(os.open("agent.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
    json.dump(config, file)
os.remove("given.json")
ELASTICD_END

python3 -m elastic.agent --config agent.json
power_off "the agent ended"
"""


def wheel_url(wheel: Wheel, *, daemon_url: str) -> str:
    """The address of the daemon's wheel for nodes, with the sum that pip checks."""
    return f"{daemon_url}{wheel.path}#sha256={wheel.sha256}"


def package_source(index: str | None, *, has_gpu: bool) -> str:
    """The shell line that tells pip and uv where packages are: in `index`, or torch's own.

    >>> package_source(None, has_gpu=False), package_source(None, has_gpu=True)
    ('export UV_TORCH_BACKEND=cpu', 'export UV_TORCH_BACKEND=auto')
    >>> package_source("https://i.example/simple", has_gpu=False)
    'export PIP_INDEX_URL=https://i.example/simple UV_DEFAULT_INDEX=https://i.example/simple'
    """
    if index is None:
        return f"export UV_TORCH_BACKEND={'auto' if has_gpu else 'cpu'}"
    url = shlex.quote(index)
    parts = urlsplit(index)
    # pip refuses an index without TLS unless it is told to trust it. The settings name this one, so
    # it is trusted.
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
    """The script of the machines of one launch, compressed if it is too long otherwise.

    Args:
        given: The agent's configuration without what only the machine knows: its id, its address,
            its folder, and how long the bootstrap took.
        bootstrap: Shell lines after which `python3` has elasticd; None: the default ones.
        wheel: Where the daemon has the wheel that the bootstrap finds in ELASTICD_WHEEL; empty if
            it needs none.
        packages: The line of `package_source`, which comes before the bootstrap.
        has_nvidia: Whether a machine of EC2 must show a GPU, or end: it would train on its CPU.
        lease_s: How long the machine lives without a renewal of its lease.
        boot_s: How long it lives before its first lease, if longer; a bootstrap may take that long.

    Raises ProviderError if the script is too long even so.
    """
    script = _SCRIPT.format(
        powering_off=POWERING_OFF,
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
    # cloud-init unpacks it. It holds no time, since a repeated request must be the same.
    packed = gzip.compress(script, mtime=0)
    if len(packed) <= MOST_BYTES:
        return packed
    raise ProviderError(
        f"user data: wanted at most {MOST_BYTES} bytes, got {len(packed)} after compression; "
        "shorten ec2.bootstrap or the job's environment"
    )

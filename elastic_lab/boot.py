"""The first program of a machine, and its own `poweroff`; both are shell scripts.

A bare machine has nothing but a shell.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from elastic_lab import cloud_init
from elastic_lab.hypervisor import GuestOrder

POWER_COMMANDS = ("poweroff", "shutdown", "halt", "reboot", "systemctl")

# Process 1. It reaps orphans, and the machine ends when it exits.
_INIT = """#!/bin/sh
trap 'exit 0' PWR
folder=$1
if [ "$2" = namespaces ]; then
    hostname "$(cat "$folder/hostname")"
    mount --bind "$folder/hosts" /etc/hosts
    # Without a name server a look-up fails at once. With one that cannot be reached it takes 20 s.
    resolv=/etc/resolv.conf
    [ ! -e "$resolv" ] || mount --bind "$folder/resolv.conf" "$(readlink -f "$resolv")"
    # The kernel is the real machine's.
    [ ! -e /proc/sysrq-trigger ] || mount --bind /dev/null /proc/sysrq-trigger || exit 1
    # The sockets of the real machine's init and container engine are out of reach from here on.
    mount -t tmpfs -o mode=755 tmpfs /run
    for name in poweroff shutdown halt reboot systemctl; do
        for place in /usr/sbin /sbin /usr/bin /bin; do
            [ ! -e "$place/$name" ] || mount --bind "$folder/bin/power" "$place/$name"
        done
    done
    export ELASTICD_LAB_INIT=1
else
    export ELASTICD_LAB_INIT=$$
fi
cd "$folder/home" || exit 1
if [ -x "$folder/user-data" ]; then
    "$folder/user-data" </dev/null >>"$folder/console.log" 2>&1 &
fi
while :; do
    sleep 3600 >/dev/null 2>&1 &
    wait $!
done
"""

_POWER = """#!/bin/sh
# poweroff, shutdown, halt, reboot and systemctl of a lab's instance; they end it, as on a machine.
off() { kill -PWR "$ELASTICD_LAB_INIT"; }
timer=$ELASTICD_LAB_FOLDER/shutdown.pid
name=${0##*/}
case $name in
systemctl)
    case " $* " in
    *" poweroff "* | *" halt "*) off ;;
    *) echo "systemctl: an instance of the lab runs no systemd" >&2; exit 1 ;;
    esac ;;
reboot)
    echo "reboot: an instance of the lab cannot start again by itself" >&2; exit 1 ;;
shutdown)
    when=+1
    for word in "$@"; do
        case $word in
        -c) [ ! -f "$timer" ] || kill "$(cat "$timer")" 2>/dev/null; rm -f "$timer"; exit 0 ;;
        -r) echo "shutdown: an instance of the lab cannot start again by itself" >&2; exit 1 ;;
        now | +[0-9]*) when=$word ;;
        -*) ;;
        [0-9]*) echo "shutdown: wanted now or +MINUTES, found $word" >&2; exit 1 ;;
        esac
    done
    [ "$when" = now ] && when=+0
    if [ "$when" = +0 ]; then off; exit 0; fi
    [ ! -f "$timer" ] || kill "$(cat "$timer")" 2>/dev/null
    setsid sh -c 'echo $$ >"$1"; sleep "$2"; kill -PWR "$ELASTICD_LAB_INIT"' \\
        sh "$timer" "$((${when#+} * 60))" </dev/null >/dev/null 2>&1 &
    ;;
*) off ;;
esac
"""


def write_boot_files(folder: Path, order: GuestOrder) -> Path:
    """Fills a machine's folder for a boot, and returns the path of its init."""
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    folder.chmod(0o700)
    _write_program(folder / "init", _INIT)
    _write_program(folder / "bin" / "power", _POWER)
    for name in POWER_COMMANDS:
        shutil.copy(folder / "bin" / "power", folder / "bin" / name)
    (folder / "hostname").write_text(f"{order.hostname}\n")
    (folder / "hosts").write_text(f"127.0.0.1 localhost\n{order.address} {order.hostname}\n")
    (folder / "resolv.conf").write_text("")
    (folder / "user-data").unlink(missing_ok=True)
    user_data = None
    if order.is_first_boot:
        user_data = order.user_data
    if order.root is not None:
        command = shlex.join([f"{folder}/cloud-init", str(folder), str(order.root)])
        _write_program(folder / "user-data", f"#!/bin/sh\nexec {command}\n")
        _write_program(folder / "cloud-init", cloud_init.SCRIPT)
    elif user_data is not None and user_data.startswith("#!"):
        _write_program(folder / "user-data", user_data)
    elif user_data:
        (folder / "console.log").write_text("user data that is no script (#!) is not run\n")
    return folder / "init"


def _write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o700)

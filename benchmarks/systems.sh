#!/bin/sh
# Runs a command in a clean clone of this repository on another Debian or Ubuntu, and removes both:
#
#   benchmarks/systems.sh trixie sh -c 'make test BROWSER=0 && make demo'
#   benchmarks/systems.sh forky .ci/run
#   MIRROR='deb [trusted=yes] URL noble main universe' benchmarks/systems.sh noble make demo
#
# CHECK_VALID_UNTIL=false takes a mirror that is no longer updated, too.
# Needs root, mmdebstrap and the network. It shares this machine's kernel, processes and network.
set -eu
[ $# -ge 2 ] || { echo "wanted: $0 SUITE COMMAND [ARGUMENT ...]" >&2; exit 2; }
suite=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
# A mount of /dev ends with its namespace: nothing outside it is removed here.
trap 'rm -rf --one-file-system "$folder"' EXIT

mmdebstrap --quiet --variant=apt \
    ${CHECK_VALID_UNTIL:+--aptopt="Acquire::Check-Valid-Until \"$CHECK_VALID_UNTIL\""} \
    --include=python3,python3-venv,make,git,ca-certificates,procps,iproute2,openssh-client,mount \
    "$suite" "$folder/root" ${MIRROR:+"$MIRROR"}
# The same names, and trust in the same certificates, as on this machine.
cp /etc/resolv.conf /etc/hosts "$folder/root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$folder/root/etc/ssl/certs/"
# No package starts a service.
printf '#!/bin/sh\nexit 101\n' >"$folder/root/usr/sbin/policy-rc.d"
chmod 755 "$folder/root/usr/sbin/policy-rc.d"
git clone --quiet "$here" "$folder/root/srv/elasticd"

# Not chroot: whoever enters a namespace from there would be outside it.
unshare --mount --propagation private sh -c '
    root=$1
    shift
    mount --bind "$root" "$root"
    for each in proc sys dev; do mount --rbind "/$each" "$root/$each"; done
    cd "$root"
    mkdir .before
    pivot_root . .before
    cd /srv/elasticd
    umount --lazy /.before
    export HOME=/root LANG=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    unset PYTHONPATH PYTHONDONTWRITEBYTECODE
    python3 --version
    exec "$@"
' _ "$folder/root" "$@"

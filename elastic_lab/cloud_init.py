"""Runs user data by the cloud-init of a file system, as EC2's images do; for root, on Debian."""

from __future__ import annotations

from pathlib import Path

from elastic.errors import InvalidInput

# The file system is an overlay, so that nothing of it stays. Its upper layer cannot be below its
# lower one, hence tmpfs. Only those modules of cloud-init are needed that run scripts; others
# manage disks, keys and users. Without the identity of an EC2 machine (dmidecode), or in what looks
# like a container, cloud-init would use version 1 of the metadata service. HOME is unset, as under
# systemd. Temporary files may go to its own /tmp.
SCRIPT = r"""#!/bin/sh
set -eu
folder=$1 lower=$2
layers=$folder/layers root=$folder/root
mkdir -p "$layers" "$root"
mount -t tmpfs tmpfs "$layers"
mkdir "$layers/upper" "$layers/work"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$layers/upper,workdir=$layers/work" "$root"
for name in proc sys dev run; do mount --rbind "/$name" "$root/$name"; done
[ ! -d /sys/class/dmi/id ] || mount -t tmpfs tmpfs "$root/sys/class/dmi/id"
for name in poweroff shutdown halt reboot systemctl; do
    cp --remove-destination "$folder/bin/power" "$root/usr/sbin/$name"
    place=$root/usr/bin/$name
    [ ! -e "$place" ] || cp --remove-destination "$folder/bin/power" "$place"
done
cp --remove-destination "$folder/hosts" "$root/etc/hosts"
cp --remove-destination "$folder/resolv.conf" "$root/etc/resolv.conf"
# What cloud-init stores survives a stop, as on a disk, so that it knows a later boot.
rm -rf "$root/var/lib/cloud"
mkdir -p "$root/var/lib/cloud" "$folder/cloud"
mount --bind "$folder/cloud" "$root/var/lib/cloud"
cat >"$root/usr/sbin/dmidecode" <<'END'
#!/bin/sh
echo ec2b1ab0-0000-4000-8000-000000000000
END
printf '#!/bin/sh\nexit 1\n' >"$root/usr/bin/systemd-detect-virt"
chmod 755 "$root/usr/sbin/dmidecode" "$root/usr/bin/systemd-detect-virt"
cat >"$root/etc/cloud/cloud.cfg.d/99-lab.cfg" <<'END'
datasource_list: [Ec2]
datasource: {Ec2: {strict_id: false, apply_full_imds_network_config: false}}
network: {config: disabled}
users: []
cloud_init_modules: []
cloud_config_modules: []
cloud_final_modules: [scripts-per-boot, scripts-user]
END
unset HOME TMPDIR
exec chroot "$root" /bin/sh -c 'cd / && cloud-init init && cloud-init modules --mode=final'
"""


def require_cloud_init(root: Path, *, has_namespaces: bool) -> None:
    """Raises InvalidInput if instances cannot use the cloud-init of this root here."""
    if not has_namespaces:
        raise InvalidInput(
            "user_data: cloud-init needs machines in namespaces: run the lab as root",
            field="user_data",
        )
    if not (root / "usr/bin/cloud-init").exists():
        raise InvalidInput(
            f"user_data: wanted the command cloud-init in {root}, found none: apt-get install "
            "cloud-init there",
            field="user_data",
        )

#!/bin/sh
# What the compose file uses of the image postgres: a cluster for POSTGRES_USER, who logs in by POSTGRES_PASSWORD, in PGDATA.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
data=/var/lib/postgresql/data
if [ "$(id -u)" = 0 ]; then
    install -d -o postgres -g postgres -m 700 "$data"
    install -d -o postgres -g postgres /run/postgresql
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$0"
fi
if [ ! -s "$data/PG_VERSION" ]; then
    : "${POSTGRES_PASSWORD:?}"
    printf %s "$POSTGRES_PASSWORD" >/tmp/password
    initdb -D "$data" -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 --auth-local=trust --encoding=UTF8 >/dev/null
    rm /tmp/password
    echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
    echo "CREATE DATABASE $POSTGRES_USER" | postgres --single -D "$data" postgres >/dev/null
fi
exec postgres -D "$data" -c listen_addresses='*'

#!/bin/sh
# Measures reading from pfsd beside reading from MariaDB, which is installed from Debian if
# the machine has none: the server's programs alone, nothing that starts by itself.
set -eu
cd "$(dirname "$0")/../.."
PATH=$PATH:/usr/sbin:/sbin
if ! command -v mariadbd >/dev/null || ! command -v mariadb-install-db >/dev/null; then
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -q
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends mariadb-server-core mariadb-client-core
fi
make -s build
exec env CGO_ENABLED=0 "${GO:-go}" run -tags gms_pure_go ./engine/bench mariadb "$@"

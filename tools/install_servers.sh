#!/bin/sh
# Installs what some tests drive for real, a PostgreSQL server, a browser and two proxies, where that
# needs no question: as root, on a machine with apt. Elsewhere those tests are skipped, and say so.

missing=""
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null ||
    missing="$missing postgresql"
command -v chromium >/dev/null && command -v chromedriver >/dev/null ||
    missing="$missing chromium chromium-driver"
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
command -v caddy >/dev/null || missing="$missing caddy"
[ -z "$missing" ] && exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "Not installed, so that tests will be skipped:$missing" >&2
    exit 0
fi
echo "Installing for the tests:$missing"
export DEBIAN_FRONTEND=noninteractive
# The package lists may be missing or old: they are fetched when an install fails without.
apt-get install -qq --no-install-recommends $missing >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -qq --no-install-recommends $missing >/dev/null; } ||
    echo "Could not be installed, so that tests will be skipped:$missing" >&2

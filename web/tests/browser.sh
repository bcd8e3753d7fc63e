#!/bin/sh
# Sees to it that there is a Chromium: the one that CHROME_PATH names, Debian's, or Debian's once it is installed.
set -eu
if [ -n "${CHROME_PATH:-}" ]; then
    [ -x "$CHROME_PATH" ] || { echo "CHROME_PATH names no program: $CHROME_PATH" >&2; exit 1; }
elif [ ! -x /usr/bin/chromium ]; then
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        echo "The tests of the page need Chromium: install it, or name one in CHROME_PATH." >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && apt-get install --yes --no-install-recommends chromium; } >/dev/null
fi

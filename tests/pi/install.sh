#!/bin/sh
# Puts a real pi into a folder, together with the Node that runs it. Needs node, npm and a registry.
#
# usage: sh install.sh DIR 0.73.1|0.87.1|1.5.0
#
# Afterwards DIR/node runs every script of this folder with `--pi DIR`. Once it is installed, a
# further call does nothing; an install that was interrupted is done again from the start.
#
#   0.73.1  @mariozechner/pi-coding-agent, the last of the old name; runs on Node 20.6 and later
#   0.87.1  @earendil-works/pi-coding-agent; runs on Node 22.19 and later
#   1.5.0   the same package. Only its tarball is taken, which carries a complete bundle; beside it
#           go jiti (to load extensions) and quickjs-wasi (for one of its tools)
set -eu

dir=${1:?usage: install.sh DIR VERSION}
version=${2:?usage: install.sh DIR VERSION}
node_version=22.23.3
stamp="pi $version, recipe 1"

installed() { [ -x "$dir/node" ] && [ "$(cat "$dir/.installed" 2>/dev/null)" = "$stamp" ]; }

case $version in
0.73.1) dependencies='"@mariozechner/pi-coding-agent": "0.73.1"' ;;
0.87.1) dependencies='"@earendil-works/pi-coding-agent": "0.87.1", "node": "'$node_version'"' ;;
1.5.0) dependencies='"jiti": "2.7.0", "quickjs-wasi": "3.6.2", "node": "'$node_version'"' ;;
*)
    echo "install.sh: no recipe for pi $version" >&2
    exit 2 ;;
esac

if installed; then exit 0; fi

# One install at a time: the others wait here and then find it done. npm holds the lock too, so that
# one whose install.sh was killed comes to its end before the next begins.
mkdir -p "$dir"
exec 9>"$dir/.lock"
if command -v flock >/dev/null; then flock 9; fi
if installed; then exit 0; fi

echo "installing pi $version …" >&2
cd "$dir"
dir=$PWD
rm -rf .installed node node_modules package package.json package-lock.json npm.log ./*.tgz

# npm says much; it is shown only if something goes wrong.
npm_quietly() {
    npm "$@" --loglevel=error --no-fund --no-audit --no-update-notifier --prefer-offline >npm.log 2>&1 || {
        cat npm.log >&2
        echo "install.sh: npm $1 failed" >&2
        exit 1
    }
}

printf '{ "name": "pi-here", "private": true, "dependencies": { %s } }\n' "$dependencies" >package.json
npm_quietly install --no-package-lock

if [ "$version" = 1.5.0 ]; then
    npm_quietly pack "@earendil-works/pi-coding-agent@$version"
    tar xzf ./*-"$version".tgz
    rm ./*-"$version".tgz
fi

if [ "$version" = 0.73.1 ]; then
    ln -s "$(node -p process.execPath)" node
else
    ln -s node_modules/.bin/node node
fi
./node --version >/dev/null
rm npm.log
echo "$stamp" >.installed

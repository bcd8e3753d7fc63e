#!/bin/sh
# Checks the types of the extension: by themselves, and against what each pi declares for extensions.
# Needs npm and a package registry, for TypeScript.
#
# usage: sh types.sh      pis are looked for in .tools/pi, where `make tools` puts them
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm install --silent --no-audit --no-fund typescript@5.9 @types/node@20 >/dev/null)
tsc=$work/node_modules/.bin/tsc

"$tsc" -p "$root/extension" --typeRoots "$work/node_modules/@types"
for version in 0.73.1 0.87.1 1.5.0; do
    pi=$root/.tools/pi/$version
    for package in "$pi"/package "$pi"/node_modules/@*/pi-coding-agent; do
        [ -f "$package/dist/index.d.ts" ] && break
    done
    cat > "$work/conforms.ts" <<END
import type { ExtensionAPI } from "$package/dist/index.js";
import brainExtension from "$root/extension/index.ts";
export const factory: (pi: ExtensionAPI) => void = brainExtension;
// @ts-expect-error pi's declarations were found, and are not just anything
export const nothing: ExtensionAPI = 0;
END
    # pi's own declarations lack some of what they import; only what is said about ours counts.
    "$tsc" --noEmit --strict --skipLibCheck --target es2023 --lib es2023,es2024.string,dom --module nodenext \
        --allowImportingTsExtensions --typeRoots "$work/node_modules/@types" --types node "$work/conforms.ts" \
        > "$work/said" 2>&1 || true
    if grep -E "conforms\.ts|/extension/" "$work/said"; then
        echo "the extension does not fit pi $version" >&2
        exit 1
    fi
    echo "fits pi $version"
done

#!/bin/sh
# Asks a real daemon everything that its OpenAPI document says can be asked, with values made up at random, right and wrong
# ones. No answer may be a 5xx, or another than the document says.
#
# usage: check.sh PI_BRAIN SCHEMATHESIS [SECONDS]
set -eu
program=$1 schemathesis=$2 seconds=${3:-60}
home=$(mktemp -d)
export HOME="$home"
unset PI_BRAIN_HOME PI_CODING_AGENT_DIR PI_CODING_AGENT_SESSION_DIR
trap '"$program" daemon stop >/dev/null 2>&1; rm -rf "$home"' EXIT

# The demo set, as if pi had written it.
"$program" demo "$home/demo" >/dev/null
mkdir -p "$home/.pi"
mv "$home/demo/agent" "$home/.pi/agent"
"$program" daemon start --port 0 >/dev/null
"$program" ingest >/dev/null
address=$(sed -n 's/.*"address": "\(.*\)".*/\1/p' "$home/.pi-brain/daemon.json")
token=$(sed -n 's/.*"token": "\(.*\)".*/\1/p' "$home/.pi-brain/daemon.json")

# What ends the daemon, or never ends itself, is tried elsewhere.
"$schemathesis" run "http://$address/api/openapi.json" --no-color \
    --header "Authorization: Bearer $token" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance \
    --exclude-path /api/v1/daemon/stop --exclude-path /api/v1/events \
    --max-time "$seconds" --max-examples 20 --continue-on-failure \
    --generation-database none --report-dir "$home/report" > "$home/said" || {
    cut -c 1-300 "$home/said"
    exit 1
}
tail -n 12 "$home/said"
"$program" daemon status >/dev/null || { echo "the daemon did not survive it"; exit 1; }

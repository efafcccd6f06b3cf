#!/bin/sh
# What the suite starts for each scenario: leaves it in a folder, the first argument, for the client that runs already, and
# ends as that says. A shell, because all scenarios start at the same time, and a hundred times Node is much.
visit=$(mktemp -d "$1/visit-XXXXXX") && mkfifo "$visit/answer" || exit 1
printf '%s\n' "$MCP_CONFORMANCE_SCENARIO" "$2" "${MCP_CONFORMANCE_CONTEXT:-{\}}" > "$visit/writing"
mv "$visit/writing" "$visit/question"
{ read -r code; cat >&2; } < "$visit/answer"
exit "$code"

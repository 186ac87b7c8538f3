#!/bin/sh
exec /usr/lib/berth/node/bin/node --max-old-space-size=96 /usr/lib/berth/build/cli/main.js "$@"

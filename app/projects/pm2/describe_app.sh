# Prints what the files of the app in the current folder say about its package manager, one fact per line.
set -u
named='s/.*"packageManager"[[:space:]]*:[[:space:]]*"\([a-z]*@[0-9][0-9A-Za-z.-]*\).*/packageManager \1/p'
[ ! -f package.json ] || head -c 1000000 package.json | sed -n "$named" | head -n 1
# The file may have no line break at its end.
echo
for name in package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock .yarnrc.yml bun.lock bun.lockb; do
  [ ! -f "$name" ] || echo "file $name"
done
[ ! -f pnpm-lock.yaml ] || sed -n "s/^lockfileVersion: *['\"]\{0,1\}\([0-9]*\).*/pnpmLock \1/p" pnpm-lock.yaml | head -n 1
echo
[ ! -f yarn.lock ] || sed -n '/^__metadata:/,/^$/s/^  version: *\([0-9]*\).*/yarnLock \1/p' yarn.lock | head -n 1
echo
grep -Eqs "^nodeLinker: *[\"']?(pnpm|node-modules)" .yarnrc.yml && echo nodeLinker
exit 0

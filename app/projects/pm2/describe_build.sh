# Prints how the built app in the current folder can be started, one fact per line: `start` if package.json has a start
# script, and `file PATH` for each path in the arguments that is a file.
set -u
has='const { scripts } = JSON.parse(require("fs").readFileSync("package.json")); if (scripts?.start) console.log("start")'
node -e "$has" 2> /dev/null
for path in "$@"; do
  [ ! -f "$path" ] || echo "file $path"
done
exit 0

# Prints the last lines of files, then follows them. Lines of a log before its last rotation are in a
# second file, `NAME.1`. Arguments: number of lines, files.
lines=$1
shift
for file in "$@"; do
  present=$(tail -n "$lines" -- "$file" 2> /dev/null | wc -l)
  [ "$present" -ge "$lines" ] || tail -n "$((lines - present))" -- "$file.1" 2> /dev/null
done
exec tail -q -n "$lines" -F -- "$@"

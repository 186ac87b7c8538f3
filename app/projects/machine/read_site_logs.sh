# Prints the ends of the access log and the error log. Arguments: the logs, a line to print between
# them, the number of bytes and of lines of each. The first output line is the
# machine's local time and its offset from UTC.
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
access=$1 errors=$2 divider=$3 bytes=$4 lines=$5
bytes_of() {
  [ -f "$1" ] && [ ! -L "$1" ] || return 0
  size=$(stat -c %s -- "$1") || return 0
  skip=$((size > bytes ? size - bytes : 0))
  # `nofollow`: the file may have become a link since the check.
  dd if="$1" iflag=nofollow,nonblock,skip_bytes,count_bytes skip="$skip" count="$bytes" bs=64K \
    status=none 2> /dev/null
}
# Lines of a log before its last rotation are in a second file.
end_of() {
  {
    bytes_of "$1.1"
    bytes_of "$1"
  } | tail -c "$bytes" | tail -n "$lines"
}
date +%Y-%m-%dT%H:%M:%S%z
end_of "$access"
# The last line of the access log may lack its line break.
printf '\n%s\n' "$divider"
end_of "$errors"
exit 0

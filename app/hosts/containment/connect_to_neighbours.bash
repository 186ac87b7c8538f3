# Opens TCP connections to all `address:port` arguments at once. Prints the addresses that responded within 3 seconds,
# including by "connection refused".
# shellcheck shell=bash
export LC_ALL=C
for target; do
  {
    # shellcheck disable=SC2016 # The inner shell expands it.
    said=$(timeout 3 bash -c 'exec 3<> "/dev/tcp/$1/$2"' bash "${target%:*}" "${target#*:}" 2>&1)
    code=$?
    if [ "$code" = 0 ] || [[ $said == *'Connection refused'* ]]; then echo "$target"; fi
  } &
done | sort

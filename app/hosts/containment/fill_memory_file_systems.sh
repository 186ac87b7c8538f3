# Fills each world-writable tmpfs or ramfs. The argument is the instance's memory limit in bytes. Prints the file
# systems that accept that much, or where the kernel kills the program.
while read -r _ folder type _; do
  case $type in tmpfs | ramfs) ;; *) continue ;; esac
  case $(stat -c %A -- "$folder") in ????????w?) ;; *) continue ;; esac
  file=$folder/berth-memory
  head -c "$1" /dev/zero 2> /dev/null > "$file"
  code=$?
  written=$(stat -c %s -- "$file" 2> /dev/null || echo 0)
  rm -f -- "$file"
  if [ "$written" -ge "$1" ] || [ "$code" -gt 128 ]; then echo "$folder"; fi
done < /proc/mounts

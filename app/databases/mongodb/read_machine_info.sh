grep -qw avx /proc/cpuinfo && echo avx=yes || echo avx=no
echo "machine=$(uname -m)"
echo "kernel=$(uname -r)"
echo "memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) * 1024))"
echo "disk=$(df -B1 --output=avail /var/lib | tail -n 1 | tr -d ' ')"
echo "pages=$(cat /sys/kernel/mm/transparent_hugepage/enabled 2> /dev/null)"
dpkg-query -W -f 'package=${db:Status-Status}\n' mongodb-org-server 2> /dev/null
[ -n "$(ss -Hltn 'sport = :27017' 2> /dev/null)" ] && echo taken=yes
exit 0

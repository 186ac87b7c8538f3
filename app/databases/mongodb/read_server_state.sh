# Arguments: the service, the file of a finished installation, the list of package sources.
dpkg-query -W -f 'package=${db:Status-Status}\nversion=${Version}\n' mongodb-org-server 2> /dev/null
[ -e "$2" ] && echo ready=yes
[ -e "$3" ] && echo ours=yes
echo "active=$(systemctl show -P ActiveState "$1" 2> /dev/null)"
echo "free=$(df -B1 --output=avail /var/lib | tail -n 1 | tr -d ' ')"
exit 0

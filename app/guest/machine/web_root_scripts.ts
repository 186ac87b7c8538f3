import { toOctalEscapes } from '#guest/machine/raw_names'
import { webRoot } from '#guest/machine/web_root'

/**
 * Arguments: the whole text again, the verb, the web root, then the verb's own; these are in place when
 * what follows begins. What makes it safe, also while somebody swaps folders for links:
 *
 * - It changes into the web root first and then looks where it is (`cd -P` sets PWD from the kernel's
 *   answer), so that `$root` is no link.
 * - Whoever is root becomes the owner of the web root before anything else. Where that is root, nothing
 *   changes; whoever must not run as root asks `[ -O / ]`: / belongs to root, and to know that takes no
 *   program.
 * - Arguments can only be text: a byte that is none, and the backslash, come as octal escapes.
 *
 * Exit codes below 40 that are the same for all: 20 outside, 21 gone, 31 no web root.
 */
const SCRIPT_PROLOGUE = String.raw`
set -u
umask 022
export LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
self=$1 verb=$2 root=$3
shift 3
cd -P -- "$root" 2>/dev/null || exit 31
root=$PWD
if [ ! -O . ] && { [ -O / ] || [ "$(id -u)" = 0 ]; }; then
  owner=$(stat -c '%u %g' .)
  while IFS=: read -r user word uid gid title home rest; do
    if [ "$uid" = "${'$'}{owner% *}" ]; then export HOME="$home"; fi
  done < /etc/passwd
  exec setpriv --reuid="${'$'}{owner% *}" --regid="${'$'}{owner#* }" --clear-groups \
    sh -c "$self" sh "$self" "$verb" "$root" "$@"
fi
for each do
  case $each in *\\*) each=$(printf '%b.' "$each"); each=${'$'}{each%.} ;; esac
  set -- "$@" "$each"
  shift
done
is_there() { [ -e "./$1" ] || [ -L "./$1" ]; }
`

/**
 * A constant script for the web root: `body` finds `$verb`, `$root`, its own arguments, `is_there NAME`,
 * and itself in the web root as its owner.
 */
export function webRootScript(body: string): string {
  return `${SCRIPT_PROLOGUE}${body}`
}

/** The argument list that runs one verb of such a script. Run it as whoever the connection is. */
export function webRootScriptArgv(script: string, verb: string, args: readonly string[]): string[] {
  return ['sh', '-c', script, 'sh', script, verb, webRoot.path, ...args.map(toOctalEscapes)]
}

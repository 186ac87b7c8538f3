import type { Machine } from '#packages/machine/main'

// Argument: port. What listens for this machine alone hears nobody else; what is not there yet may.
const LISTENS_PUBLICLY_SCRIPT = `addresses=$(ss -Hltn "sport = :$1" | awk '{ print $4 }')
[ -n "$addresses" ] || exit 0
printf '%s\\n' "$addresses" | grep -qv -e '^127\\.' -e '^\\[::1\\]' -e '^\\[::ffff:127\\.'`

/** Whether an app hears other machines at its port, or is not started yet. */
export async function listensPubliclyOrNotYet(machine: Machine, port: number): Promise<boolean> {
  const argv = ['sh', '-c', LISTENS_PUBLICLY_SCRIPT, 'berth-hears', String(port)]
  const { code } = await machine.exec(argv, { cwd: '/', timeout: 30_000 })
  return code === 0
}

/** Whether a web address answers at all within 5 s, asked from here. */
export async function isUrlAnswering(url: string): Promise<boolean> {
  try {
    const { body } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) })
    await body?.cancel()
    return true
  } catch {
    return false
  }
}

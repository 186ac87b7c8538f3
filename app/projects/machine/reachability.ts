import type { Machine } from '#packages/machine/main'

// Argument: port. Fails if the app listens only on loopback, where other machines cannot reach it.
// Succeeds if nothing listens yet.
const LISTENS_PUBLICLY_SCRIPT = `addresses=$(ss -Hltn "sport = :$1" | awk '{ print $4 }')
[ -n "$addresses" ] || exit 0
printf '%s\\n' "$addresses" | grep -qv -e '^127\\.' -e '^\\[::1\\]' -e '^\\[::ffff:127\\.'`

/** Returns whether other machines can reach an app on its port, or the app is not started yet. */
export async function listensPubliclyOrNotYet(machine: Machine, port: number): Promise<boolean> {
  const argv = ['sh', '-c', LISTENS_PUBLICLY_SCRIPT, 'berth-hears', String(port)]
  const { code } = await machine.exec(argv, { cwd: '/', timeout: 30_000 })
  return code === 0
}

/** Returns whether a URL answers Berth's own request within 5 s, with any status. */
export async function isUrlAnswering(url: string): Promise<boolean> {
  try {
    const { body } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) })
    await body?.cancel()
    return true
  } catch {
    return false
  }
}

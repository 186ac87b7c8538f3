import type { Incus } from '#packages/incus/main'
import { eventually } from '#tests/support/eventually'

/**
 * Waits until systemd has booted an instance, even if some units have failed (`degraded`). Before that, folders such as
 * /run/lock may be missing.
 */
export async function waitForBoot(incus: Incus, system: string): Promise<void> {
  const argv = ['systemctl', 'is-system-running', '--wait']
  await eventually(async () => {
    const { stdout } = await incus.instances.exec(system, argv, { timeout: 300 })
    const state = stdout.toString().trim()
    if (!['running', 'degraded'].includes(state)) throw new Error(`${system} is ${state}`)
  }, 300_000)
}

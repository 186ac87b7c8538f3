import { runCommand } from '#guest/machine/run_command'
import type { Machine } from '#packages/machine/main'

export async function enableService(machine: Machine, what: string, name: string): Promise<void> {
  const argv = ['systemctl', 'enable', '--now', '-q', '--', name]
  await runCommand(machine, what, argv, { user: 'root', timeout: 120_000 })
}

import { notFound } from '#core/refusal'
import { runAsOwner } from '#projects/machine/run'
import { type KnownProcess, processesOn } from '#projects/pm2/processes'
import type { Machine } from '#packages/machine/main'

export const processActions = ['start', 'stop', 'restart', 'delete'] as const
export type ProcessAction = (typeof processActions)[number]

/** The process of this name, or 404. PM2 itself would also take ids and `all` for a name. */
export async function findProcess(machine: Machine, name: string): Promise<KnownProcess> {
  const found = (await processesOn(machine)).find((process) => process.name === name)
  if (!found) throw notFound('process')
  return found
}

/** Does something to processes, then keeps the list for the next boot. */
export async function actOn(
  machine: Machine,
  action: ProcessAction,
  processes: KnownProcess[]
): Promise<void> {
  if (processes.length === 0) return
  const ids = processes.map(({ pm_id: id }) => String(id))
  const argv = ['pm2', action, ...ids]
  await runAsOwner(machine, `PM2 could not ${action} it`, argv, { timeout: 120_000 })
  await save(machine)
}

/** Starts a process in place of the one of the same name. `argv` follows `pm2 start`. */
export async function startProcess(
  machine: Machine,
  {
    name,
    cwd,
    argv,
    env,
  }: { name: string; cwd: string; argv: string[]; env?: Record<string, string> }
): Promise<void> {
  const old = (await processesOn(machine)).filter((process) => process.name === name)
  if (old.length) {
    const ids = old.map(({ pm_id: id }) => String(id))
    await runAsOwner(machine, 'PM2 could not end the old process', ['pm2', 'delete', ...ids])
  }
  const [program, ...rest] = argv
  const end = rest.length ? ['--', ...rest] : []
  await runAsOwner(
    machine,
    'PM2 could not start it',
    ['pm2', 'start', program, '--name', name, '--time', ...end],
    { cwd, env, timeout: 120_000 }
  )
  await save(machine)
}

/** `--force` also keeps an empty list: what was deleted must not come back. */
async function save(machine: Machine): Promise<void> {
  await runAsOwner(machine, 'PM2 could not keep its list', ['pm2', 'save', '--force'], {
    timeout: 60_000,
  })
}

import { notFound } from '#core/app_error'
import { setMemoryLimit } from '#projects/pm2/memory_limit'
import {
  CUSTOMER_VARIABLE_NAMES_ENV,
  type Pm2Process,
  loadProcessList,
  loadProcesses,
} from '#projects/pm2/processes'
import { runPm2 } from '#projects/pm2/run_pm2'
import { readMachineClock } from '#projects/pm2/wait_until_serving'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

export const processActions = ['start', 'stop', 'restart', 'delete'] as const
export type ProcessAction = (typeof processActions)[number]

/** PM2 multiplies the delay by 1.5 after each exit, up to 15 s. */
const FIRST_RESTART_DELAY_MS = '100'

const STOP_TIMEOUT_MS = 30_000

/**
 * PM2 itself would also accept ids and `all` as a name.
 * @throws 404 if there is no process of this name
 */
export async function getProcess(
  machine: Machine,
  name: string,
  timeout?: number
): Promise<Pm2Process> {
  const { processes } = await loadProcessList(machine, timeout)
  const match = processes.find((process) => process.name === name)
  if (!match) throw notFound('process')
  return match
}

/** Saves PM2's list afterwards, for the next boot. */
export async function runProcessAction(
  machine: Machine,
  action: ProcessAction,
  processes: Pm2Process[]
): Promise<void> {
  if (processes.length === 0) return
  if (action === 'delete')
    return endProcesses(machine, processes).then(() => saveProcessList(machine))
  const ids = processes.map(({ pm_id: id }) => String(id))
  const argv = ['pm2', action, ...ids]
  await runPm2(machine, `PM2 could not ${action} the process`, argv, {
    timeout: action === 'stop' ? STOP_TIMEOUT_MS : 120_000,
  })
  await saveProcessList(machine)
}

/** PM2 loses track of an app that is deleted while it starts, but not of one that was stopped. */
async function endProcesses(machine: Machine, processes: Pm2Process[]): Promise<void> {
  const ids = processes.map(({ pm_id: id }) => String(id))
  const isOver = processes.every(({ pm2_env: { status } }) => status === 'stopped')
  const steps = isOver ? ['delete'] : ['stop', 'delete']
  for (const step of steps) {
    await runPm2(machine, 'PM2 could not stop the process', ['pm2', step, ...ids], {
      timeout: 120_000,
    })
  }
}

export interface ProcessStartOptions {
  name: string
  cwd: string
  /** A program and its own arguments. */
  argv: string[]
  /** Port and mode, which Berth sets. */
  env?: Record<string, string>
  /** The customer's secrets. */
  environment?: Record<string, string>
  /** Memory limit in bytes; null for none. */
  memory: number | null
}

/** Replaces a process of the same name. Returns the start time by the machine's clock. */
export async function startProcess(
  machine: Machine,
  { name, cwd, argv, env, environment = {}, memory }: ProcessStartOptions
): Promise<string> {
  const old = (await loadProcesses(machine)).filter((process) => process.name === name)
  if (old.length) await endProcesses(machine, old)
  await runPm2(machine, 'PM2 does not start', ['pm2', 'ping', '--silent'], {
    timeout: 60_000,
  })
  if (memory) await setMemoryLimit(machine, memory)
  const since = await readMachineClock(machine)
  const [program, ...rest] = argv
  const end = rest.length ? ['--', ...rest] : []
  const limits = [
    ...(memory ? ['--max-memory-restart', `${Math.floor(memory / 1024 ** 2)}M`] : []),
    '--exp-backoff-restart-delay',
    FIRST_RESTART_DELAY_MS,
  ]
  const names = Object.keys(environment)
  await runPm2(
    machine,
    'PM2 could not start the process',
    ['pm2', 'start', program, '--name', name, '--time', ...limits, ...end],
    {
      cwd,
      env: {
        ...environment,
        ...env,
        ...(names.length && { [CUSTOMER_VARIABLE_NAMES_ENV]: names.join(',') }),
      },
      timeout: 120_000,
    }
  )
  await saveProcessList(machine)
  return since
}

/**
 * Only a newly created process loses removed variables. A process that is not plain Node is
 * restarted as it is. It gets the new values, but also keeps old variables.
 */
export async function restartWithVariables(
  machine: Machine,
  action: 'start' | 'restart',
  process: Pm2Process,
  {
    environment,
    memory,
  }: Pick<ProcessStartOptions, 'memory'> & { environment: Record<string, string> }
): Promise<void> {
  const { name, folder, argv, env, plain, pm_id: id } = process
  const has = Object.keys(environment).length > 0
  if (!has && env.given.length === 0) return runProcessAction(machine, action, [process])
  if (!plain || !folder || argv.length === 0) {
    await runPm2(
      machine,
      'PM2 could not restart the process',
      ['pm2', 'restart', String(id), '--update-env'],
      { cwd: folder || undefined, env: environment, timeout: 120_000 }
    )
    return saveProcessList(machine)
  }
  const [program, ...rest] = argv
  const hadOwnPort = env.given.includes('PORT') || environment.PORT !== undefined
  const own: Record<string, string> = {
    ...(env.port && !hadOwnPort && { PORT: String(env.port) }),
    ...(env.mode && !env.given.includes('NODE_ENV') && { NODE_ENV: env.mode }),
  }
  const again = [/\/npm$/.test(program) ? 'npm' : program, ...rest]
  await startProcess(machine, { name, cwd: folder, argv: again, env: own, environment, memory })
}

const SAVE_SCRIPT = readScript(import.meta, 'save_process_list.sh')

async function saveProcessList(machine: Machine): Promise<void> {
  await runPm2(machine, 'PM2 could not save its process list', ['sh', '-c', SAVE_SCRIPT], {
    timeout: 60_000,
  })
}

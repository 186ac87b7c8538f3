import { notFound } from '#core/app_error'
import { runAsOwner, SITE_OWNER_HOME } from '#guest/public_effects'
import { processNotStopped } from '#projects/errors'
import { COMMAND_LAUNCHER } from '#projects/pm2/command'
import { limitMemoryOfApps } from '#projects/pm2/memory_limit'
import { npmStartArgv } from '#projects/pm2/package_managers'
import {
  CUSTOMER_VARIABLE_NAMES_ENV,
  type Pm2Process,
  loadProcessList,
  loadProcesses,
} from '#projects/pm2/processes'
import { runPm2 } from '#projects/pm2/run_pm2'
import { readMachineClock } from '#projects/pm2/wait_until_serving'
import logger from '@adonisjs/core/services/logger'
import type { ExecOptions, Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

export const processActions = ['start', 'stop', 'restart', 'delete'] as const
export type ProcessAction = (typeof processActions)[number]

const FIRST_RESTART_DELAY_MS = '100'

/** `NODE_ENV` of a built app, unless the project sets it. */
export const DEFAULT_MODE = 'production'

const PM2_LOG_FOLDER = `${SITE_OWNER_HOME}/.pm2/logs`

const STOP_TIMEOUT_MS = 30_000
const ACTION_TIMEOUT_MS = 120_000
const MAX_STOPS = 5

/**
 * Compares names itself, because PM2 would also accept ids and `all` as a name.
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

/** Saves PM2's process list, from which PM2 restores processes at the next boot. */
export async function runProcessAction(
  machine: Machine,
  action: ProcessAction,
  processes: Pm2Process[]
): Promise<void> {
  if (processes.length === 0) return
  if (action === 'stop') await stopProcesses(machine, processes, STOP_TIMEOUT_MS)
  else if (action === 'delete') {
    await deleteProcesses(machine, processes)
    // Saves the list before it deletes the logs, because deleting logs can fail. With an unsaved list, the deleted
    // processes would return at the next boot.
    await saveProcessList(machine)
    await deleteLogs(machine, processes).catch((error: unknown) =>
      logger.warn({ err: error }, 'logs of deleted processes could not be deleted')
    )
    return
  } else await restartProcesses(machine, action, processes)
  await saveProcessList(machine)
}

/**
 * Stops processes and checks that they stay stopped. While PM2 restarts an app after a crash or because of the memory
 * limit, it reports a successful stop but starts the app anyway.
 * @throws if a process starts again after each stop
 */
async function stopProcesses(
  machine: Machine,
  processes: Pm2Process[],
  timeout: number
): Promise<void> {
  let ids = processes.map(({ pm_id: id }) => id)
  for (let stops = 0; ids.length; stops++) {
    if (stops === MAX_STOPS) throw processNotStopped()
    await runPm2(machine, 'PM2 could not stop the process', ['pm2', 'stop', ...ids.map(String)], {
      timeout,
    })
    const { processes: listed } = await loadProcessList(machine, timeout)
    ids = listed
      .filter(({ pm_id: id, pm2_env: { status } }) => ids.includes(id) && status !== 'stopped')
      .map(({ pm_id: id }) => id)
  }
}

/** Stops processes before it deletes them, because PM2 loses an app that is deleted while it starts. */
async function deleteProcesses(machine: Machine, processes: Pm2Process[]): Promise<void> {
  await stopProcesses(machine, processes, ACTION_TIMEOUT_MS)
  const ids = processes.map(({ pm_id: id }) => String(id))
  await runPm2(machine, 'PM2 could not delete the process', ['pm2', 'delete', ...ids], {
    timeout: ACTION_TIMEOUT_MS,
  })
}

/** Keeps logs outside PM2's folder and logs that other processes use. */
async function deleteLogs(machine: Machine, processes: Pm2Process[]): Promise<void> {
  const pathsOf = ({ logs }: Pm2Process) => [logs.out, logs.errors]
  const used = new Set((await loadProcesses(machine)).flatMap(pathsOf))
  const paths = processes
    .flatMap(pathsOf)
    .filter((path) => path !== null)
    .filter((path) => dirname(path) === PM2_LOG_FOLDER && !used.has(path))
  if (paths.length === 0) return
  const argv = ['rm', '-f', '--', ...paths, ...paths.map((path) => `${path}.1`)]
  await runAsOwner(machine, 'The logs of the process could not be deleted', argv, {
    timeout: 60_000,
  })
}

/** Stops processes in a crash loop first, because PM2 rejects a restart of an app that waits for its next start. */
async function restartProcesses(
  machine: Machine,
  action: 'start' | 'restart',
  processes: Pm2Process[],
  { args = [], ...options }: ExecOptions & { args?: string[] } = {}
): Promise<void> {
  const crashing = processes.filter(({ pm2_env: { status } }) => status === 'restarting')
  await stopProcesses(machine, crashing, ACTION_TIMEOUT_MS)
  const ids = processes.map(({ pm_id: id }) => String(id))
  await runPm2(machine, `PM2 could not ${action} the process`, ['pm2', action, ...ids, ...args], {
    ...options,
    timeout: ACTION_TIMEOUT_MS,
  })
}

export interface ProcessStartOptions {
  name: string
  cwd: string
  argv: string[]
  /** The variables PORT and NODE_ENV, which Berth sets. */
  env?: Record<string, string>
  /** The customer's variables, which are secrets. */
  environment?: Record<string, string>
  /** Memory limit in bytes; null for none. */
  memory: number | null
}

/** Replaces a process of the same name. Returns the start time by the instance's clock. */
export async function startProcess(
  machine: Machine,
  { name, cwd, argv, env, environment = {}, memory }: ProcessStartOptions
): Promise<string> {
  const old = (await loadProcesses(machine)).filter((process) => process.name === name)
  if (old.length) await deleteProcesses(machine, old)
  await runPm2(machine, 'PM2 does not start', ['pm2', 'ping', '--silent'], {
    timeout: 60_000,
  })
  if (memory) await limitMemoryOfApps(machine, memory)
  const since = await readMachineClock(machine)
  const [program, ...rest] = argv
  const end = rest.length ? ['--', ...rest] : []
  const limits = [
    ...(program === COMMAND_LAUNCHER ? ['--interpreter', 'none'] : []),
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
      timeout: ACTION_TIMEOUT_MS,
    }
  )
  await saveProcessList(machine)
  return since
}

/**
 * Deletes the process and creates it again, because a restart would keep variables that were removed. If it neither had
 * nor gets variables, only runs the action. A process that Berth cannot create again, for example because `plain` is
 * false, is only restarted: it gets new values, but keeps removed variables.
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
  const { name, folder, argv, env, plain } = process
  const has = Object.keys(environment).length > 0
  if (!has && env.given.length === 0) return runProcessAction(machine, action, [process])
  if (!plain || !folder || argv.length === 0) {
    await restartProcesses(machine, 'restart', [process], {
      args: ['--update-env'],
      cwd: folder || undefined,
      env: environment,
    })
    return saveProcessList(machine)
  }
  const [program, ...rest] = argv
  const hadOwnPort = env.given.includes('PORT') || environment.PORT !== undefined
  const again = [/\/npm$/.test(program) ? 'npm' : program, ...rest]
  const isBuilt = isDeepStrictEqual(again, npmStartArgv)
  const mode = env.given.includes('NODE_ENV') ? isBuilt && DEFAULT_MODE : env.mode
  const own: Record<string, string> = {
    ...(env.port && (program === COMMAND_LAUNCHER || !hadOwnPort) && { PORT: String(env.port) }),
    ...(mode && !environment.NODE_ENV && { NODE_ENV: mode }),
  }
  await startProcess(machine, { name, cwd: folder, argv: again, env: own, environment, memory })
}

const SAVE_SCRIPT = readScript(import.meta, 'save_process_list.sh')

async function saveProcessList(machine: Machine): Promise<void> {
  await runPm2(machine, 'PM2 could not save its process list', ['sh', '-c', SAVE_SCRIPT], {
    timeout: 60_000,
  })
}

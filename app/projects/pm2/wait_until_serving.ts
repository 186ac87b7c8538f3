import type { StepContext } from '#core/operations/operations'
import { runAsOwner } from '#guest/public_effects'
import { appNotServing } from '#projects/errors'
import { type Pm2Process, loadProcesses } from '#projects/pm2/processes'
import {
  processProblemText,
  listProcessPorts,
  readLastOutput,
  findProcessProblem,
} from '#projects/pm2/process_problems'
import type { Machine } from '#packages/machine/main'
import { setTimeout as sleep } from 'node:timers/promises'
import { readScript } from '#packages/machine/read_script'

const MAX_EXITS = 3
const LISTEN_TIMEOUT_MS = 120_000
/** Server errors or a wrong port count as a failure only after this time. */
const CONFIRM_AFTER_MS = 4_000
/** A script that ran this long counts as started. */
const STABLE_AFTER_SECONDS = 6
const POLL_INTERVAL_MS = 700

interface Started {
  name: string
  /** Start time of the app by the instance's clock. */
  since: string
  /** Port on which the app must respond; null if unknown. */
  port: number | null
  /** False if the start also succeeds when nothing listens on the port. */
  mustListen?: boolean
}

type WaitContext = Pick<StepContext, 'signal' | 'reportProgress'>

/**
 * Waits until the app responds. Without a known port, waits until the process runs steadily.
 * @throws if the start failed: the process keeps exiting, listens on another port, responds only with
 * errors, or has not responded in time. The error contains the last log lines and advice.
 */
export async function waitUntilServing(
  machine: Machine,
  { name, since, port, mustListen = true }: Started,
  { signal, reportProgress }: WaitContext
): Promise<void> {
  const deadline = Date.now() + LISTEN_TIMEOUT_MS
  const lasting = stopwatch()
  for (;;) {
    signal.throwIfAborted()
    const process = (await loadProcesses(machine)).find((one) => one.name === name)
    if (!process) throw appNotServing(`PM2 no longer has the process ${name}.`)
    const { status, restart_time: ends, uptime } = process.pm2_env
    const isOver = status === 'errored' || status === 'stopped'
    if (isOver || ends >= MAX_EXITS)
      throw await servingFailed(machine, endedProcess(process), { since })
    if (!port && status === 'online' && (uptime ?? 0) >= STABLE_AFTER_SECONDS) return
    const answered = port && status !== 'restarting' ? await ask(machine, port) : 0
    if (answered && answered < 500) return
    if (ends > 0) {
      await reportProgress(
        `The process crashed ${ends === 1 ? 'once' : `${ends} times`}. Starting it again.`
      )
    } else if (port && answered) {
      await reportProgress(`The process answers with status ${answered}.`)
      if (lasting('errors') > CONFIRM_AFTER_MS)
        throw await errorsOnly(machine, process, answered, since)
    } else if (port) {
      const ports = (await listProcessPorts(machine, [process.pid])).get(process.pid) ?? []
      const isWrong = ports.length > 0 && !ports.includes(port)
      if (isWrong && lasting(`ports ${ports.join()}`) > CONFIRM_AFTER_MS) {
        throw await servingFailed(machine, process, { since, wanted: port, ports })
      }
      if (!isWrong && !mustListen && (uptime ?? 0) > STABLE_AFTER_SECONDS) {
        return reportProgress(`The process runs. Nothing listens on port ${port} yet.`)
      }
      await reportProgress(
        isWrong
          ? `The process listens on ${ports.slice(0, 5).join(' and ')} instead of ${port}.`
          : ports.length
            ? `Port ${port} is open, but the process has not answered yet.`
            : `Nothing listens on port ${port} yet.`
      )
    }
    if (Date.now() > deadline) {
      const ports = (await listProcessPorts(machine, [process.pid])).get(process.pid) ?? []
      throw await servingFailed(machine, process, { since, wanted: port, ports })
    }
    await sleep(POLL_INTERVAL_MS, undefined, { signal })
  }
}

/** Returns a function to be called with the current state. It returns for how many ms the state has stayed the same. */
function stopwatch(): (what: string) => number {
  let last = ''
  let from = 0
  return (what) => {
    if (what !== last) [last, from] = [what, Date.now()]
    return Date.now() - from
  }
}

/** Returns the process with the status of an exited one. PM2 reports a process as running between two crashes. */
function endedProcess(process: Pm2Process): Pm2Process {
  const { status } = process.pm2_env
  const now = status === 'errored' || status === 'stopped' ? 'errored' : 'restarting'
  return { ...process, pm2_env: { ...process.pm2_env, status: now } }
}

async function servingFailed(
  machine: Machine,
  process: Pm2Process,
  {
    since,
    wanted = null,
    ports = null,
  }: { since: string; wanted?: number | null; ports?: number[] | null }
) {
  const trouble = await findProcessProblem(machine, process, { wanted, ports, since })
  if (trouble) return appNotServing(processProblemText(trouble))
  const { lines } = await readLastOutput(machine, process, since)
  const message = wanted
    ? `The process did not respond on port ${wanted} in time.`
    : 'The process keeps restarting.'
  return appNotServing(
    processProblemText({ words: message, next: 'Check its logs, then press Restart.', lines })
  )
}

async function errorsOnly(machine: Machine, process: Pm2Process, code: number, since: string) {
  const { lines } = await readLastOutput(machine, process, since)
  const message = `The process only answers with status ${code}.`
  return appNotServing(
    processProblemText({ words: message, next: 'Fix the errors in its last log lines.', lines })
  )
}

const HTTP_STATUS_SCRIPT = readScript(import.meta, 'ask_http_status.sh')

/** Returns the app's HTTP status, or 0 if it does not respond. */
async function ask(machine: Machine, port: number): Promise<number> {
  const argv = ['sh', '-c', HTTP_STATUS_SCRIPT, 'berth-ask', `http://127.0.0.1:${port}/`]
  return (
    Number(await runAsOwner(machine, 'The process cannot be reached', argv, { timeout: 20_000 })) ||
    0
  )
}

export async function readMachineClock(machine: Machine): Promise<string> {
  const argv = ['date', '+%Y-%m-%dT%H:%M:%S']
  return (await runAsOwner(machine, 'The time cannot be read', argv)).trim()
}

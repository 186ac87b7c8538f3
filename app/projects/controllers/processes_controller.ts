import { type ServerInstance, loadUsableInstance } from '#instances/public'
import { respond } from '#core/action_response'
import { audit } from '#core/audit/audit'
import { openEventStream } from '#core/live/event_stream'
import { toAppErrorIfMachineError } from '#core/machine_errors'
import { conflict, AppError } from '#core/app_error'
import { runCommand, tailFiles } from '#guest/public_effects'
import { connectToActiveInstance, connectToActiveInstanceViaHost } from '#instances/public_effects'
import { assertAbility } from '#identity/public'
import { startNewProcess } from '#projects/actions/start_new_process'
import { PROJECT_SUSPENDED_MESSAGE } from '#projects/errors'
import { parseUtcOffset } from '#projects/machine/site_logs'
import Project from '#projects/models/project'
import {
  runProcessAction,
  getProcess,
  type ProcessAction,
  restartWithVariables,
} from '#projects/pm2/process_actions'
import { parseCommand } from '#projects/pm2/command'
import { loadProcessViews, findProjectOfProcess } from '#projects/pm2/process_views'
import { forceStopProcess } from '#projects/pm2/force_stop'
import { maxAppMemoryBytes } from '#projects/pm2/memory_limit'
import { isProcessInFolder, loadProcessList } from '#projects/pm2/processes'
import { processActionValidator, processValidator } from '#projects/validators/project'
import type { Machine } from '#packages/machine/main'
import type { HttpContext } from '@adonisjs/core/http'

const done = { start: 'started', stop: 'stopped', restart: 'restarted', delete: 'deleted' }

/** If the instance has not responded after this time, Berth connects through the host instead of SSH. */
const LIST_TIMEOUT_MS = 15_000

export default class ProcessesController {
  async index(ctx: HttpContext) {
    const { instance } = await loadInstance(ctx, ctx.request.qs().server_instance_id)
    ctx.response.json({ success: true, message: '', data: await listOf(instance) })
  }

  async startNew(ctx: HttpContext) {
    const sent = ctx.request.body()
    const { instance } = await loadInstance(ctx, sent.server_instance_id, 'change')
    const form = await processValidator.validate(sent)
    const { name, projectPath: path } = form
    await assertNotSuspended(ctx, instance, path)
    const how =
      'command' in form
        ? { command: parseCommand(form.command)!, port: form.port }
        : 'port' in form
          ? { packageManager: form.packageManager, port: form.port }
          : { script: form.script }
    const operation = await startNewProcess(instance, { name, path, how })
    await log(ctx, instance, 'process.start_new', name)
    respond(ctx, {
      status: 202,
      message: `Starting process ${name}…`,
      data: { operation_id: operation.id },
    })
  }

  async act(ctx: HttpContext) {
    const sent = ctx.request.body()
    const { instance } = await loadInstance(ctx, sent.server_instance_id, 'change')
    const { action, name } = await processActionValidator.validate(sent)
    let how = ''
    try {
      await carryOut(ctx, instance, action, name)
    } catch (error) {
      // If the instance does not respond, a process can still be stopped through the host. Other actions fail.
      if (action !== 'stop' || !isAway(error)) throw error
      await forceStopProcess(await connectToActiveInstanceViaHost(instance), name)
      how = ' by force, because the server instance did not respond'
    }
    await log(ctx, instance, `process.${action}`, name)
    respond(ctx, {
      message: `Process ${name} ${done[action]}${how}.`,
      data: { ...(await listOf(instance).catch(() => null)) },
    })
  }

  /**
   * Sends server-sent events, `{ lines: [text], utc_offset: minutes }`, until the client
   * disconnects.
   */
  async logs(ctx: HttpContext) {
    const { server_instance_id: id, name } = ctx.request.qs()
    const { instance } = await loadInstance(ctx, id)
    const machine = await connectToActiveInstance(instance)
    const { logs } = await getProcess(machine, String(name ?? ''))
    const files = [logs.out, logs.errors].filter((file) => file !== null)
    const offset = await runCommand(machine, 'The time zone cannot be read', ['date', '+%z'])
    const stream = openEventStream(ctx)
    let left = false
    let stop = () => {}
    stream.onClose(() => {
      left = true
      stop()
    })
    stop = await tailFiles(machine, files, {
      lines: (lines) => stream.send({ lines, utc_offset: parseUtcOffset(offset) }),
      ended: () => stream.end(),
    }).catch(() => {
      stream.end()
      return () => {}
    })
    if (left) stop()
  }
}

async function loadInstance(ctx: HttpContext, id: unknown, purpose: 'look' | 'change' = 'look') {
  const actor = ctx.actor
  if (purpose === 'change' && actor.audience === 'staff') assertAbility(actor, 'instances.change')
  return { instance: await loadUsableInstance(actor, id) }
}

/**
 * If a regular instance is unreachable over SSH, connects through the host. If that fails too, throws the error of the
 * SSH connection.
 */
async function listOf(instance: ServerInstance) {
  const look = async (machine: Machine) => {
    const list = await loadProcessList(machine, LIST_TIMEOUT_MS)
    const projects = await projectsOn(instance)
    return { processes: await loadProcessViews(machine, list, projects), note: list.note }
  }
  try {
    return await look(await connectToActiveInstance(instance))
  } catch (error) {
    if (instance.instanceType === 'shared' || !isAway(error)) throw error
    const { processes } = await look(await connectToActiveInstanceViaHost(instance)).catch(() => {
      throw error
    })
    const note =
      'The server instance does not respond over SSH. This list was read through its host instead.'
    return { processes, note }
  }
}

/**
 * Returns whether the instance is unreachable, or has no memory left to run a command. False for other errors that the
 * instance itself reports.
 */
function isAway(error: unknown): boolean {
  const appError = toAppErrorIfMachineError(error)
  return appError instanceof AppError && ['unreachable', 'out_of_memory'].includes(appError.code)
}

async function carryOut(
  ctx: HttpContext,
  instance: ServerInstance,
  action: ProcessAction,
  name: string
): Promise<void> {
  const machine = await connectToActiveInstance(instance)
  const process = await getProcess(machine, name, action === 'stop' ? LIST_TIMEOUT_MS : undefined)
  if (action === 'stop' || action === 'delete') return runProcessAction(machine, action, [process])
  await assertNotSuspended(ctx, instance, (project) => isProcessInFolder(process, project.path))
  const project = findProjectOfProcess(process, await projectsOn(instance))
  const environment = project?.environment ?? {}
  await restartWithVariables(machine, action, process, {
    environment,
    memory: maxAppMemoryBytes(instance),
  })
}

function projectsOn({ id }: ServerInstance): Promise<Project[]> {
  return Project.live().where('serverInstanceId', id)
}

/**
 * Prevents customers from starting a process of a project that staff suspended. Allows everything for staff.
 * @throws 409
 */
async function assertNotSuspended(
  { actor }: HttpContext,
  instance: ServerInstance,
  which: string | ((project: Project) => boolean)
): Promise<void> {
  if (actor.audience === 'staff') return
  const suspended = await Project.query().where({
    serverInstanceId: instance.id,
    status: 'suspended',
  })
  const matches =
    typeof which === 'string' ? ({ path }: Project) => `${which}/`.startsWith(`${path}/`) : which
  if (suspended.some(matches)) throw conflict(PROJECT_SUSPENDED_MESSAGE)
}

function log(ctx: HttpContext, instance: ServerInstance, action: string, name: string) {
  return audit({
    actor: ctx.actor,
    accountId: instance.accountId,
    action,
    subject: { type: 'server_instance', id: instance.id, label: instance.name },
    after: { process: name },
    ip: ctx.request.ip(),
  })
}

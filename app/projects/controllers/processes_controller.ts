import { assertCan, findInstance, machineOf, type ServerInstance } from '#compute/public'
import { answer } from '#core/answers'
import { audit } from '#core/audit/audit'
import { eventStream } from '#core/live/event_stream'
import { startOperation } from '#core/operations/operations'
import { conflict } from '#core/refusal'
import { demand } from '#identity/public'
import { SUSPENDED } from '#projects/errors'
import Project from '#projects/models/project'
import { buildProcess, startScript } from '#projects/operations/start_process'
import { actOn, findProcess } from '#projects/pm2/actions'
import { followLogs } from '#projects/pm2/logs'
import { belongsTo, describeProcess, processesOn } from '#projects/pm2/processes'
import { readProcessAction, readProcessForm } from '#projects/validators/project'
import type { HttpContext } from '@adonisjs/core/http'

const done = { start: 'started', stop: 'stopped', restart: 'restarted', delete: 'deleted' }

/** Node processes of an instance under PM2. */
export default class ProcessesController {
  async index(ctx: HttpContext) {
    const { instance } = await reach(ctx, ctx.request.qs().server_instance_id)
    const processes = await processesOn(await machineOf(instance))
    ctx.response.json({
      success: true,
      message: '',
      data: { processes: processes.map(describeProcess) },
    })
  }

  async startNew(ctx: HttpContext) {
    const sent = ctx.request.body()
    const { instance } = await reach(ctx, sent.server_instance_id, 'change')
    const form = readProcessForm(sent)
    await assertNotSuspended(ctx, instance, form.path)
    const { name, path } = form
    const where = { serverInstanceId: instance.id, name, path }
    const project = await Project.query()
      .where({ serverInstanceId: instance.id, path })
      .whereNot('status', 'deleted')
      .first()
    const subject = project
      ? { type: 'project', id: project.id }
      : { type: 'process', id: `${instance.id}/${name}` }
    const options = { title: `Starting ${name}`, ownerId: instance.customerId, subject }
    const operation =
      form.type === 'build'
        ? await startOperation(
            buildProcess,
            { ...where, packageManager: form.packageManager, port: form.port },
            options
          )
        : await startOperation(startScript, { ...where, script: form.script }, options)
    await log(ctx, instance, 'process.start_new', name)
    answer(ctx, {
      status: 202,
      message: `Process ${name} is being started.`,
      data: { operation_id: operation.id },
    })
  }

  async act(ctx: HttpContext) {
    const sent = ctx.request.body()
    const { instance } = await reach(ctx, sent.server_instance_id, 'change')
    const { action, name } = readProcessAction(sent)
    const machine = await machineOf(instance)
    const process = await findProcess(machine, name)
    if (action === 'start' || action === 'restart') {
      await assertNotSuspended(ctx, instance, (project) => belongsTo(process, project.path))
    }
    await actOn(machine, action, [process])
    await log(ctx, instance, `process.${action}`, name)
    const processes = await processesOn(machine)
    answer(ctx, {
      message: `Process ${name} ${done[action]}.`,
      data: { processes: processes.map(describeProcess) },
    })
  }

  /** Server-sent events: what the process writes, `{ lines: [text] }`, until the page leaves. */
  async logs(ctx: HttpContext) {
    const { server_instance_id: id, name } = ctx.request.qs()
    const { instance } = await reach(ctx, id)
    const machine = await machineOf(instance)
    const { logs } = await findProcess(machine, String(name ?? ''))
    const stream = eventStream(ctx)
    let left = false
    let stop = () => {}
    stream.onClose(() => {
      left = true
      stop()
    })
    stop = await followLogs(machine, logs, {
      lines: (lines) => stream.send({ lines }),
      ended: () => stream.end(),
    }).catch(() => {
      stream.end()
      return () => {}
    })
    if (left) stop()
  }
}

async function reach(ctx: HttpContext, id: unknown, purpose: 'look' | 'change' = 'look') {
  const actor = ctx.actor!
  const instance = await findInstance(actor, id)
  if (purpose === 'change' && actor.audience === 'staff') demand(actor, 'instances.change')
  assertCan('manage', instance)
  return { instance }
}

/** What staff suspended does not start again by its customer's click. */
async function assertNotSuspended(
  { actor }: HttpContext,
  instance: ServerInstance,
  which: string | ((project: Project) => boolean)
): Promise<void> {
  if (actor!.audience === 'staff') return
  const suspended = await Project.query().where({
    serverInstanceId: instance.id,
    status: 'suspended',
  })
  const matches = typeof which === 'string' ? ({ path }: Project) => path === which : which
  if (suspended.some(matches)) throw conflict(SUSPENDED)
}

function log(ctx: HttpContext, instance: ServerInstance, action: string, name: string) {
  return audit({
    actor: ctx.actor!,
    customerId: instance.customerId,
    action,
    subject: { type: 'server_instance', id: instance.id, label: instance.name },
    after: { process: name },
    ip: ctx.request.ip(),
  })
}

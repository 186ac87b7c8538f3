import { renderPage } from '#core/render_page'
import type { PagePropsByFile } from '#core/page_props'
import {
  assertInstanceCan,
  instanceCan,
  instancesVisibleTo,
  type ServerInstance,
} from '#instances/public'
import { respond } from '#core/action_response'
import { type SiteArea, siteAreaOf, isPageVisit } from '#core/request_kind'
import type { Actor } from '#core/contracts/actor'
import { queryListPage, parseListRequest } from '#core/list_page'
import type Operation from '#core/models/operation'
import { listOperationsOfSubject } from '#core/operations/operations'
import { webRoot } from '#guest/public'
import { connectToActiveInstance } from '#instances/public_effects'
import { retryFailedOperation } from '#projects/actions/retry_failed_operation'
import { createProject } from '#projects/actions/create_project'
import {
  changeProjectStatus,
  updateProject,
  updateVirtualHost,
} from '#projects/actions/update_project'
import { listInstalledPhpVersions } from '#projects/machine/php'
import { readSiteLogs } from '#projects/machine/site_logs'
import type Project from '#projects/models/project'
import { projectStatuses } from '#projects/statuses'
import { assertMayChange, statusesActorMaySet, stackWarning } from '#projects/states/project'
import { loadCustomersOfProjects, projectListDefinition } from '#projects/queries/project_list'
import {
  loadProjectDomains,
  getProject,
  attachInstancesToProjects,
  projectsVisibleTo,
} from '#projects/queries/projects'
import { databaseStacks, stackLabels } from '#projects/stacks'
import type { InstanceChoice, PhpChoices } from '#projects/transformers/page_props'
import { projectRow, projectView } from '#projects/transformers/project'
import {
  newProjectValidator,
  projectStatusValidator,
  projectValidator,
} from '#projects/validators/project'
import { virtualHostChangeValidator, virtualHostValidator } from '#projects/validators/virtual_host'
import { wordpressAdminValidator } from '#projects/validators/wordpress'
import type { HttpContext } from '@adonisjs/core/http'

export default class ProjectsController {
  async index(ctx: HttpContext) {
    const actor = ctx.actor
    const list = projectListDefinition(actor)
    const { rows, ...facts } = await queryListPage<Project>(
      projectsVisibleTo(actor),
      parseListRequest(ctx, list),
      list
    )
    await attachInstancesToProjects(rows)
    const [domains, customers] = await Promise.all([
      loadProjectDomains(rows),
      loadCustomersOfProjects(actor, rows),
    ])
    return send(ctx, 'list', {
      ...facts,
      projects: rows.map((row) => ({
        ...projectRow(row, domains.get(row.id)),
        customer: customers.get(row.accountId) ?? null,
      })),
      projectStatus: projectStatuses,
      projectStacks: stackLabels,
      statusChoices: statusesActorMaySet(actor),
      serverInstances: await choicesOf(actor),
      webRoot: webRoot.path,
    })
  }

  async show(ctx: HttpContext) {
    const actor = ctx.actor
    const project = await getProject(actor, ctx.params.id)
    await project.instance.load('host')
    const [newest] = await listOperationsOfSubject('project', project.id)
    return send(ctx, 'details', {
      project: await projectView(actor, project, newest),
      projectStatus: projectStatuses,
      projectStacks: stackLabels,
      serverInstances: await choicesOf(actor),
      webRoot: webRoot.path,
    })
  }

  async store(ctx: HttpContext) {
    const meta = { email: ctx.actor.email }
    const form = await newProjectValidator.validate(ctx.request.body(), { meta })
    const { project, operation } = await createProject(ctx.actor, form, ctx.request.ip())
    await respondWithWarning(ctx, `Project ${project.name} is being set up.`, project, operation)
  }

  async php(ctx: HttpContext) {
    const project = await getProject(ctx.actor, ctx.params.id)
    assertInstanceCan('manage', project.instance)
    const versions = await listInstalledPhpVersions(await connectToActiveInstance(project.instance))
    ctx.response.json({ success: true, message: '', data: { versions } satisfies PhpChoices })
  }

  async logs(ctx: HttpContext) {
    const project = await getProject(ctx.actor, ctx.params.id)
    assertInstanceCan('manage', project.instance)
    const data = await readSiteLogs(await connectToActiveInstance(project.instance), project.id)
    ctx.response.json({ success: true, message: '', data })
  }

  /**
   * Saves the fields of the project form, or the virtual host (Apache site) if the body contains
   * one.
   */
  async update(ctx: HttpContext) {
    const actor = ctx.actor
    const sent = ctx.request.body()
    const existing = await getProject(actor, sent.id)
    assertMayChange(actor, existing)
    const ip = ctx.request.ip()
    if (sent.virtual_host === undefined) {
      const form = await projectValidator.validate(sent)
      const admin = () => wordpressAdminValidator.validate(sent, { meta: { email: actor.email } })
      const { project, operation } = await updateProject(actor, existing, { ...form, admin }, ip)
      return respondWithWarning(ctx, 'Project saved.', project, operation)
    }
    const { virtual_host: host } = await virtualHostChangeValidator.validate(sent)
    const wanted = await virtualHostValidator.validate(host)
    const { project, operation } = await updateVirtualHost(actor, existing, wanted, ip)
    respondWithProject(ctx, 'Virtual host saved. Setting it up…', project, operation)
  }

  async changeStatus(ctx: HttpContext) {
    const actor = ctx.actor
    const existing = await getProject(actor, ctx.request.input('id'))
    const { status } = await ctx.request.validateUsing(projectStatusValidator)
    const { project, operation } = await changeProjectStatus(
      actor,
      existing,
      status,
      ctx.request.ip()
    )
    respondWithProject(ctx, 'Project status changed.', project, operation)
  }

  async retry(ctx: HttpContext) {
    const actor = ctx.actor
    const existing = await getProject(actor, ctx.request.input('id'))
    const { project, operation } = await retryFailedOperation(actor, existing, ctx.request.ip())
    respondWithProject(ctx, 'Retrying the setup of the project.', project, operation)
  }
}

function respondWithProject(
  ctx: HttpContext,
  message: string,
  project: Project,
  operation: Operation | null
) {
  const data = { id: project.id, ...(operation && { operation_id: operation.id }) }
  respond(ctx, { message, data, status: operation ? 202 : 200 })
}

const PASSWORD_NOTE =
  'You can use the password when WordPress is set up. If the folder already has files, WordPress is not installed and the password is not used.'

/**
 * Adds to the response a warning about the stack, if any, and the generated WordPress password. Only this response
 * contains the password.
 */
async function respondWithWarning(
  ctx: HttpContext,
  message: string,
  project: Project,
  operation: Operation | null
) {
  await project.load('instance')
  const warning = stackWarning(project.stack, project.instance)
  const isGenerated = !ctx.request.body().wordpress_password
  const shown = operation && isGenerated ? project.wordpressAdmin : null
  const data = {
    id: project.id,
    ...(warning && { warning }),
    ...(operation && { operation_id: operation.id }),
    ...(shown && { wordpress_admin: shown, wordpress_note: PASSWORD_NOTE }),
  }
  const text = warning ? `${message} ${warning}` : message
  respond(ctx, { message: text, data, status: operation ? 202 : 200 })
}

function send<Name extends 'list' | 'details'>(
  ctx: HttpContext,
  name: Name,
  props: PagePropsByFile[`${SiteArea}/project/${Name}`]
) {
  if (!isPageVisit(ctx)) return ctx.response.json({ success: true, message: '', data: props })
  return renderPage(ctx, `${siteAreaOf(ctx.request.url())}/project/${name}`, props)
}

/** Staff cannot create projects, so they get none. */
async function choicesOf(actor: Actor): Promise<InstanceChoice[]> {
  if (actor.audience === 'staff') return []
  const rows = await instancesVisibleTo(actor).orderBy('name')
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    ip: row.ip,
    instance_type: row.instanceType,
    warnings: warningsOf(row),
    reason: instanceCan('manage', row).reason,
  }))
}

function warningsOf(row: ServerInstance): Record<string, string> {
  const warnings = databaseStacks.map((stack) => [stack, stackWarning(stack, row)] as const)
  return Object.fromEntries(
    warnings.flatMap(([stack, warning]) => (warning ? [[stack, warning]] : []))
  )
}

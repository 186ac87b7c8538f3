import { recordOutput, type StepContext } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import { storableText } from '#core/storable_text'
import { getTrustedEdge, setDomainRoutes } from '#edge/public'
import {
  connectToActiveInstance,
  closeHostPort,
  openHostPort,
  withInstanceLock,
} from '#instances/public_effects'
import { findFreePort, setFolderAccess } from '#projects/machine/project_folder'
import { removeOldPhpPools, configurePhpPool } from '#projects/machine/php'
import Project from '#projects/models/project'
import { FIRST_APP_PORT } from '#projects/starter_files'
import { hasHostPorts } from '#projects/states/project'
import { findAppPort, isPortUsedByOtherProject } from '#projects/queries/projects'
import { applySite, prepareApache } from '#projects/virtual_host/apply_site'
import { additionalDomainRoutes } from '#projects/virtual_host/domain_routes'
import { maxPhpWorkers } from '#projects/virtual_host/php_pool'
import {
  FIRST_PREVIEW_PORT,
  previewSiteFileName,
  forwardedInstancePort,
  findSiteToServe,
} from '#projects/virtual_host/site_to_serve'
import { renderSite } from '#projects/virtual_host/render_site'
import { sitePort, virtualHostTypes } from '#projects/virtual_host/virtual_host_types'
import type { Machine } from '#packages/machine/main'

export interface ProjectOperationInput {
  projectId: number
  /** Whether the project's folder was empty before the setup, so that Berth created all its files. */
  fresh?: boolean
}

export async function loadProjectAndMachine({
  projectId,
}: ProjectOperationInput): Promise<{ project: Project; machine: Machine }> {
  const project = await Project.query().where('id', projectId).preload('instance').firstOrFail()
  return { project, machine: await connectToActiveInstance(project.instance) }
}

export function stepCommandOptions({ signal, stopSignal, reportProgress }: StepContext) {
  return { signal, stopSignal, report: (line: string) => reportProgress(storableText(line, 200)) }
}

/**
 * Like `stepCommandOptions`. In addition, the project's page shows the output while the step runs and after a
 * failure.
 */
export function recordedCommandOptions(context: StepContext) {
  const options = stepCommandOptions(context)
  return { ...options, record: (lines: string[]) => recordOutput(context, lines) }
}

/**
 * Applies the project's site and folder access. If the project is not active, removes its site, closes its host port,
 * and closes its folder to the web server.
 * @param replaces the name of the project's previous site file, if the new name differs
 * @returns whether a site was removed that Apache had served
 */
export async function syncProjectSite(
  project: Project,
  machine: Machine,
  replaces: string | null
): Promise<boolean> {
  const { id, path, stack, status, instance } = project
  const isActive = status === 'active'
  // Folders come first, so that they are closed even if the web server rejects its configuration.
  await settleFolders(project, machine)
  const port = forwardedInstancePort(project)
  if (port && !isActive) await closeProjectPort(project, port, { keepsLease: status !== 'deleted' })
  await prepareApache(machine, await getTrustedEdge(instance))
  const planned = await findSiteToServe(project)
  const site = isActive ? planned : null
  const isPhp = site && virtualHostTypes[site.virtualHost.type].php
  const workers = maxPhpWorkers(instance.memoryBytes)
  const phpVersion = isPhp
    ? await configurePhpPool(machine, id, { host: site.virtualHost, workers })
    : null
  const file = site && {
    name: site.siteFile,
    text: renderSite({ id, path, stack, virtualHost: site.virtualHost, phpVersion }),
    port: site.virtualHost.url_port,
  }
  const old = file ? replaces : (replaces ?? planned?.siteFile ?? previewSiteFileName(project))
  const isOurs = old && !(await isPathOrFileUsedByOtherProject(project, { siteFile: old }))
  const isRemoved = await applySite(machine, { file, replaces: isOurs ? old : null })
  await removeOldPhpPools(machine, id, phpVersion)
  const main = planned?.virtualHost.subdomain
  if (main && (file || isOurs)) {
    await setDomainRoutes(project, {
      main,
      ...additionalDomainRoutes(planned.virtualHost, isActive),
    })
  }
  return isRemoved
}

/**
 * Reserves a port for a project without a virtual host, on an instance with host ports. `syncProjectSite` and
 * `openPreviewPort` then serve the preview.
 */
export async function reservePreviewPort(project: Project, machine: Machine): Promise<void> {
  const { instance, virtualHost, previewPort, serverInstanceId } = project
  if (virtualHost || previewPort || !hasHostPorts(instance)) return
  const others = await Project.live().where({ serverInstanceId })
  const taken = new Set(
    others.flatMap(({ virtualHost: host, previewPort: port }) => [port, host && sitePort(host)])
  )
  let port = FIRST_PREVIEW_PORT
  for (;;) {
    do port = await findFreePort(machine, port + 1)
    while (taken.has(port))
    try {
      await Project.query().where('id', project.id).update({ previewPort: port })
      await project.refresh()
      return
    } catch (error) {
      // Another project of the instance has taken this port meanwhile.
      if ((error as { constraint?: string }).constraint !== 'projects_preview_port') throw error
    }
  }
}

/**
 * Reserves a port for a project's app in the state of its operation. An app begins to listen only seconds after its
 * start, so two new projects would otherwise choose the same port.
 */
export async function reserveAppPort(
  { id, serverInstanceId }: Project,
  machine: Machine,
  { saveState }: StepContext
): Promise<void> {
  await withInstanceLock(serverInstanceId, async () => {
    const taken = new Set<number | null | undefined>()
    for (const other of await Project.live().where({ serverInstanceId }).whereNot('id', id)) {
      taken.add(await findAppPort(other))
      taken.add(forwardedInstancePort(other))
      taken.add(other.virtualHost?.reverse_proxy_port)
    }
    let port = FIRST_APP_PORT - 1
    do port = await findFreePort(machine, port + 1)
    while (taken.has(port))
    await saveState('port', port)
  })
}

/** Returns the preview's address, or null if there is no preview or the host has no free port. */
export async function openPreviewPort(project: Project): Promise<string | null> {
  const { instance, virtualHost, previewPort, status } = project
  if (virtualHost || !previewPort || status !== 'active' || !(await findSiteToServe(project)))
    return null
  try {
    return `http://${instance.ip}:${await openHostPort(instance, previewPort)}`
  } catch (error) {
    // Not an error: the project can still get a domain.
    if (error instanceof AppError && error.code === 'no_ports') return null
    throw error
  }
}

/**
 * Sets the access to the project's folder and to folders of projects around and inside it. Visitors can still
 * reach an active project inside a closed folder.
 */
async function settleFolders(project: Project, machine: Machine): Promise<void> {
  const { id, serverInstanceId, path } = project
  const others = await Project.live().where({ serverInstanceId }).whereNot('id', id).orderBy('path')
  const isInside = (one: string, folder: string) => one.startsWith(`${folder}/`)
  const around = others.filter((one) => isInside(path, one.path))
  const inside = others.filter((one) => isInside(one.path, path))
  const all = [...others, project]
  // Outer folders first: opening an outer folder also opens entries inside it that were closed when its access was
  // `pass`.
  for (const one of [...around, project, ...inside]) {
    const inner = all.filter((each) => isInside(each.path, one.path))
    const isActive = all.some(({ path, status }) => path === one.path && status === 'active')
    const hasActive = inner.some(({ status }) => status === 'active')
    const closed = one.status === 'deleted' ? 'delete' : 'shut'
    const access = isActive ? 'open' : hasActive ? 'pass' : closed
    await setFolderAccess(
      machine,
      one,
      access,
      inner
        .filter(({ status }) => status !== 'deleted')
        .map((each) => each.path.slice(one.path.length + 1))
    )
  }
}

/** Ignores deleted projects, whose paths and files can be used again. */
export async function isPathOrFileUsedByOtherProject(
  { id, serverInstanceId }: Project,
  what: { path: string } | { siteFile: string }
): Promise<boolean> {
  const other = await Project.live()
    .where({ serverInstanceId, ...what })
    .whereNot('id', id)
    .first()
  return Boolean(other)
}

export async function closeProjectPort(
  project: Project,
  port: number,
  options?: { keepsLease: boolean }
): Promise<void> {
  if (!hasHostPorts(project.instance) || (await isPortUsedByOtherProject(project, port))) return
  await closeHostPort(project.instance, port, options)
}

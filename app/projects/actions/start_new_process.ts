import { conflict } from '#core/app_error'
import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { ServerInstance } from '#instances/public'
import Project from '#projects/models/project'
import {
  appBuildAndStartOperation,
  commandStartOperation,
  scriptStartOperation,
} from '#projects/operations/start_process'
import type { PackageManager } from '#projects/pm2/package_managers'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

interface NewProcess {
  name: string
  /** Relative to the web root. */
  path: string
  how:
    | { packageManager: PackageManager; port: number }
    | { script: string }
    | { command: string[]; port: number }
}

/**
 * Allows one build at a time per folder, because two would overwrite each other's files.
 * @throws 409 for a build in a folder that is already being built or set up
 */
export function startNewProcess(
  { id: serverInstanceId, accountId }: ServerInstance,
  { name, path, how }: NewProcess
): Promise<Operation> {
  return db.transaction(async (trx) => {
    // Of two simultaneous requests, the second waits here until the first one's transaction ends.
    await ServerInstance.query({ client: trx }).where('id', serverInstanceId).forUpdate().first()
    const project = await Project.live({ client: trx }).where({ serverInstanceId, path }).first()
    const input = { serverInstanceId, name, path }
    const subject = project
      ? { type: 'project', id: project.id }
      : { type: 'process', id: `${serverInstanceId}/${name}` }
    const options = { title: `Starting ${name}`, accountId, subject, trx }
    if ('script' in how)
      return startOperation(scriptStartOperation, { ...input, script: how.script }, options)
    if ('command' in how)
      return startOperation(commandStartOperation, { ...input, ...how }, options)
    if (await isBeingBuilt(input, project, trx))
      throw conflict('This folder is already being built. Wait until the build finishes.')
    return startOperation(appBuildAndStartOperation, { ...input, ...how }, options)
  })
}

async function isBeingBuilt(
  { serverInstanceId, path }: { serverInstanceId: number; path: string },
  project: Project | null,
  trx: TransactionClientContract
): Promise<boolean> {
  const build = await Operation.query({ client: trx })
    .whereIn('status', UNFINISHED_STATUSES)
    .where((query) => {
      query.where((builds) =>
        builds
          .where('kind', appBuildAndStartOperation.kind)
          // A stuck build does not count, because a new build replaces it.
          .whereNot('status', 'stuck')
          .whereRaw(`input ->> 'serverInstanceId' = ?`, [String(serverInstanceId)])
          .whereRaw(`input ->> 'path' = ?`, [path])
      )
      if (project)
        query.orWhere((setups) =>
          setups
            .whereLike('kind', 'project.set_up.%')
            .where({ subjectType: 'project', subjectId: String(project.id) })
        )
    })
    .first()
  return build !== null
}

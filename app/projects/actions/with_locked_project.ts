import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import type Operation from '#core/models/operation'
import { type OperationKind, startOperation } from '#core/operations/operations'
import { translateUniqueKeys } from '#core/unique_keys'
import { projectBusy, pathTaken, siteTaken } from '#projects/errors'
import Project from '#projects/models/project'
import { hasUnfinishedOperation, projectOperationSubject } from '#projects/queries/projects'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface ProjectChange<Input extends object> {
  /** Action name in the audit log, such as `project.update`. */
  audited: string
  title: string
  ip?: string
  /** Changes the row. Returns the operation to start afterwards, or null if none is needed. */
  begin(
    project: Project,
    trx: TransactionClientContract
  ): Promise<{ kind: OperationKind<Input>; input: Input } | null>
}

/**
 * Locks the row, so that only one of two simultaneous requests starts an operation. The caller must have
 * checked access.
 * @throws 409 while an operation on the project is queued, running or stuck
 */
export async function withLockedProject<Input extends object>(
  actor: Actor,
  { id }: Pick<Project, 'id'>,
  { audited, title, ip, begin }: ProjectChange<Input>
): Promise<{ project: Project; operation: Operation | null }> {
  return translateUniqueKeys(projectUniqueKeyErrors, () =>
    db.transaction(async (trx) => {
      const project = await Project.query({ client: trx }).where('id', id).forUpdate().firstOrFail()
      await project.load('instance')
      if (await hasUnfinishedOperation(project, trx)) throw projectBusy()
      const before = auditData(project)
      const work = await begin(project, trx)
      await project.save()
      await audit(
        {
          actor,
          accountId: project.accountId,
          action: audited,
          subject: { type: 'project', id: project.id, label: project.name },
          before,
          after: auditData(project),
          ip,
        },
        trx
      )
      const operation = work && (await startProjectOperation(project, title, work, trx))
      return { project, operation }
    })
  )
}

export function startProjectOperation<Input extends object>(
  project: Project,
  title: string,
  { kind, input }: { kind: OperationKind<Input>; input: Input },
  trx: TransactionClientContract
): Promise<Operation> {
  const { accountId } = project
  return startOperation(kind, input, {
    title,
    accountId,
    subject: projectOperationSubject(project),
    trx,
  })
}

export const projectUniqueKeyErrors = {
  projects_path: pathTaken,
  projects_site_file: () => siteTaken('url_port'),
}

function auditData({ name, path, stack, status, virtualHost }: Project) {
  return { name, path, stack, status, virtual_host: virtualHost }
}

import type { Actor } from '#core/contracts/actor'
import type Operation from '#core/models/operation'
import { listOperationsOfSubject } from '#core/operations/operations'
import { conflict } from '#core/app_error'
import { withLockedProject } from '#projects/actions/with_locked_project'
import type Project from '#projects/models/project'
import { projectSetupOperations } from '#projects/operations/set_up'
import { applyProjectStatusOperation } from '#projects/operations/apply_project_status'
import { assertMayRetry } from '#projects/states/project'

// Operations on virtual hosts are missing here: after a failure, the user submits the changed form again.
const retryableOperations = [applyProjectStatusOperation, ...Object.values(projectSetupOperations)]

/** Returns the definition of the newest operation if that operation failed and can be repeated unchanged. */
export function findRetryableOperationKind(newest: Operation | undefined) {
  return newest?.status === 'failed'
    ? retryableOperations.find(({ kind }) => kind === newest.kind)
    : undefined
}

/**
 * Repeats the last operation of a project, which may be a deletion.
 * @throws 409 if it did not fail or cannot be repeated
 */
export async function retryFailedOperation(actor: Actor, project: Project, ip?: string) {
  const [last] = await listOperationsOfSubject('project', project.id)
  return withLockedProject(actor, project, {
    audited: 'project.retry',
    title: last?.title ?? project.name,
    ip,
    async begin(row, trx) {
      assertMayRetry(actor, row)
      const [newest] = await listOperationsOfSubject('project', row.id, 1, trx)
      const kind = findRetryableOperationKind(newest)
      if (!kind)
        throw conflict('Setting up this project did not fail, so there is nothing to retry.')
      return { kind, input: { projectId: row.id, fresh: newest.state.fresh === true } }
    },
  })
}

import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { conflict } from '#core/app_error'
import { translateUniqueKeys } from '#core/unique_keys'
import { loadUsableInstance } from '#instances/public'
import {
  projectUniqueKeyErrors,
  startProjectOperation,
} from '#projects/actions/with_locked_project'
import Project from '#projects/models/project'
import { projectSetupOperations } from '#projects/operations/set_up'
import type { ProjectForm } from '#projects/validators/project'
import { type WordpressFields, wordpressAdminFrom } from '#projects/validators/wordpress'
import db from '@adonisjs/lucid/services/db'

const MAX_PROJECTS = 500

export async function createProject(
  actor: Actor,
  form: ProjectForm | (ProjectForm & WordpressFields),
  ip?: string
) {
  const instance = await loadUsableInstance(actor, form.server_instance_id)
  const { name, path, stack } = form
  return translateUniqueKeys(projectUniqueKeyErrors, () =>
    db.transaction(async (trx) => {
      const has = await Project.live({ client: trx })
        .where('accountId', instance.accountId)
        .limit(MAX_PROJECTS)
      if (has.length >= MAX_PROJECTS) {
        throw conflict(`You have ${MAX_PROJECTS} projects, the limit for one account.`)
      }
      const project = await Project.create(
        {
          accountId: instance.accountId,
          serverInstanceId: instance.id,
          name,
          path,
          stack,
          status: 'active',
          wordpressAdmin: 'wordpress_user' in form ? wordpressAdminFrom(form) : null,
        },
        { client: trx }
      )
      await audit(
        {
          actor,
          accountId: project.accountId,
          action: 'project.store',
          subject: { type: 'project', id: project.id, label: name },
          after: { path, stack, server_instance_id: instance.id },
          ip,
        },
        trx
      )
      const work = { kind: projectSetupOperations[stack], input: { projectId: project.id } }
      const operation = await startProjectOperation(project, `Setting up ${name}`, work, trx)
      return { project, operation }
    })
  )
}

import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/app_error'
import Project from '#projects/models/project'
import { assertMayChangeWhileOff } from '#projects/states/project'
import { parseDotenv, parseVariables } from '#projects/validators/environment'
import db from '@adonisjs/lucid/services/db'

/**
 * The audit log gets the names, never the values.
 * - `variables` is the complete list. An entry without a value keeps its current value.
 * - `dotenv` is the text of a pasted `.env` file, which adds or replaces variables. With `replace`, it is the complete
 *   list.
 * - `more` adds or replaces variables by name.
 */
export function changeEnvironmentVariables(
  actor: Actor,
  { id }: Pick<Project, 'id'>,
  sent: {
    variables?: unknown
    dotenv?: unknown
    replace?: boolean
    more?: Record<string, string>
  },
  ip?: string
): Promise<{ names: string[]; notes: string[] }> {
  return db.transaction(async (trx) => {
    const project = await Project.query({ client: trx }).where('id', id).forUpdate().firstOrFail()
    await project.load('instance')
    assertMayChangeWhileOff(actor, project)
    const before = project.environment
    const { variables, notes } =
      sent.dotenv === undefined
        ? {
            variables: parseVariables(
              sent.more ? mergeVariables(before, sent.more) : sent.variables,
              before
            ),
            notes: [],
          }
        : parseDotenv(sent.dotenv, before, { replace: sent.replace ?? false })
    const after = Object.fromEntries(
      variables.map(({ name, value }) => [name, value ?? before[name]])
    )
    project.environment = after
    await project.save()
    const names = Object.keys(after)
    await audit(
      {
        actor,
        accountId: project.accountId,
        action: 'project.environment',
        subject: { type: 'project', id: project.id, label: project.name },
        before: { variables: Object.keys(before) },
        after: { variables: names, changed: names.filter((name) => after[name] !== before[name]) },
        ip,
      },
      trx
    )
    return { names, notes }
  })
}

function mergeVariables(before: Record<string, string>, more: Record<string, string>) {
  const unchanged = Object.keys(before).filter((name) => !Object.hasOwn(more, name))
  return [
    ...unchanged.map((name) => ({ name })),
    ...Object.entries(more).map(([name, value]) => ({ name, value })),
  ]
}

/**
 * Returns a variable's value, with an audit entry. Requires the right to change it.
 * @throws 404 if the variable does not exist
 */
export async function revealVariable(
  actor: Actor,
  project: Project,
  name: unknown,
  ip?: string
): Promise<string> {
  assertMayChangeWhileOff(actor, project)
  const { environment } = project
  if (typeof name !== 'string' || !Object.hasOwn(environment, name)) throw notFound('variable')
  await audit({
    actor,
    accountId: project.accountId,
    action: 'project.environment_reveal',
    subject: { type: 'project', id: project.id, label: project.name },
    after: { variable: name },
    ip,
  })
  return environment[name]
}

import { audit } from '#core/audit/audit'
import type Database from '#databases/models/database'
import { databaseSubject } from '#databases/queries/databases'
import type { HttpContext } from '@adonisjs/core/http'

/** The audit entries never contain a query or a password. */
export function auditTransfer(
  { actor, request }: HttpContext,
  database: Database,
  action: string,
  after?: Record<string, unknown>
): Promise<void> {
  return audit({
    actor,
    accountId: database.accountId,
    action,
    subject: { ...databaseSubject(database), label: database.name },
    after,
    ip: request.ip(),
  })
}

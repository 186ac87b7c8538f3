import { audit } from '#core/audit/audit'
import type { InstanceFolder } from '#git/instance_folder'
import type { HttpContext } from '@adonisjs/core/http'

export async function auditGitAction(
  ctx: HttpContext,
  action: string,
  { instance, path }: InstanceFolder,
  after: Record<string, unknown>
): Promise<void> {
  await audit({
    actor: ctx.actor,
    accountId: instance.accountId,
    action,
    subject: { type: 'server_instance', id: instance.id, label: instance.name },
    after: { path, ...after },
    ip: ctx.request.ip(),
  })
}

import { auditSubjectLabels } from '#core/audit/audit'
import { renderPage } from '#core/render_page'
import { respond } from '#core/action_response'
import { parseListRequest } from '#core/list_page'
import { deviceName } from '#identity/actions/device_name'
import { listSignedInDevices } from '#identity/actions/sign_in_and_out'
import { changeProfile } from '#identity/actions/profile'
import type { PendingCode } from '#identity/actions/one_time_code'
import { defaultInstanceChoiceProvider } from '#identity/default_instance_choice_provider'
import Person from '#identity/models/person'
import { listAuditLog, auditLogListDefinition } from '#identity/queries/audit_log'
import { profileValidator } from '#identity/validators/profile'
import type { HttpContext } from '@adonisjs/core/http'

export default class ProfileController {
  async show(ctx: HttpContext) {
    const { session, request } = ctx
    const actor = ctx.actor
    const person = await Person.findOrFail(actor.id)
    const customer = actor.audience === 'customer'
    const { account } = actor
    const pending = session.get('pendingAddress') as PendingCode | undefined
    const list = parseListRequest(ctx, auditLogListDefinition())
    const log =
      account && request.qs().tab === 'activity' ? await listAuditLog(list, account.id) : null
    const devices = await listSignedInDevices(actor.id)
    return renderPage(ctx, customer ? 'customer/profile' : 'admin/profile', {
      profile: {
        name: person.name,
        email: person.email,
        title: person.title,
        role: person.role,
        colorScheme: person.colorScheme,
        default_instance_id: account?.defaultInstanceId ?? null,
        hasPassword: person.password !== null,
      },
      instances: account ? await defaultInstanceChoiceProvider.choices(account.id) : [],
      pendingEmail: pending?.email ?? null,
      devices: devices.map((device) => ({
        id: device.id,
        name: deviceName(device.userAgent),
        ip: device.ip,
        since: device.createdAt.toISO()!,
        seenAt: device.seenAt.toISO()!,
        current: device.id === ctx.deviceId,
      })),
      ...(log ?? {
        ...list,
        count: 0,
        apart: [],
        rows: [],
        statuses: auditSubjectLabels(),
        counts: {},
        more: false,
      }),
    })
  }

  async update(ctx: HttpContext) {
    const form = await ctx.request.validateUsing(profileValidator)
    await changeProfile(ctx.actor, form, ctx.request.ip())
    respond(ctx, { message: 'Profile saved.' })
  }
}

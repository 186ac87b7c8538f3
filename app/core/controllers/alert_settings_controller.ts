import { answer } from '#core/answers'
import { audit } from '#core/audit/audit'
import { sendMail } from '#core/mail/mail'
import { alertMail } from '#core/monitoring/mails'
import {
  alertRecipients,
  alertSettings,
  alertWebhook,
  renewSecret,
  saveAlertSettings,
} from '#core/monitoring/settings'
import { callLater } from '#core/monitoring/telling'
import { renderPage } from '#core/page'
import { conflict } from '#core/refusal'
import { services } from '#core/services'
import { alertSettingsForm } from '#core/validators/alerts'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { randomUUID } from 'node:crypto'

/** Who is told of alerts. All staff see it, administrators change it. */
export default class AlertSettingsController {
  async show(ctx: HttpContext) {
    const administrators = (await services.administrators?.()) ?? []
    return renderPage(ctx, 'admin/settings/alerts', {
      settings: await alertSettings(),
      administrators,
    })
  }

  /** `{ recipients: […] | null, webhook_url: … | null }`; answers the secret where a first one is made. */
  async update(ctx: HttpContext) {
    const settings = await alertSettingsForm.validate(ctx.request.body())
    const secret = await db.transaction(async (trx) => {
      const made = await saveAlertSettings(settings, trx)
      await note(ctx, 'alert.settings', { ...settings }, trx)
      return made
    })
    answer(ctx, { message: 'Saved.', data: { secret } })
  }

  /** Answers the new secret, this once. */
  async secret(ctx: HttpContext) {
    const secret = await db.transaction(async (trx) => {
      if (!(await alertWebhook(trx))) throw conflict('Save a webhook address first.')
      const made = await renewSecret(trx)
      await note(ctx, 'alert.secret', undefined, trx)
      return made
    })
    answer(ctx, { message: 'Webhook calls now use the new secret.', data: { secret } })
  }

  /** An example, to all who are told. */
  async test(ctx: HttpContext) {
    const now = new Date()
    const words = `${ctx.actor!.name} asked for a test. Nothing is wrong.`
    const example = { words, severity: 'warning' as const, began_at: now, ended_at: null }
    const alert = { label: 'Test of alerts', runbook: 'README' }
    for (const to of await alertRecipients()) await sendMail(alertMail('began', alert, example, to))
    if (await alertWebhook()) {
      const data = { name: 'core.test', label: alert.label, severity: 'warning', words }
      const body = JSON.stringify({ type: 'alert.test', timestamp: now.toISOString(), data })
      await callLater({ id: `alert-test-${randomUUID()}`, body })
    }
    answer(ctx, { message: 'Test alert sent.' })
  }
}

function note(
  { actor, request }: HttpContext,
  action: string,
  after: Record<string, unknown> | undefined,
  trx: TransactionClientContract
): Promise<void> {
  const subject = { type: 'alert' as const, id: 'settings', label: 'settings' }
  return audit({ actor: actor!, action, subject, after, ip: request.ip() }, trx)
}

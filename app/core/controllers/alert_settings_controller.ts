import { respond } from '#core/action_response'
import { audit } from '#core/audit/audit'
import { sendMail } from '#core/mail/send_mail'
import { buildAlertMail } from '#core/monitoring/mails'
import {
  listAlertRecipients,
  loadAlertSettings,
  loadAlertWebhook,
  rotateWebhookSecret,
  saveAlertSettings,
} from '#core/monitoring/alert_settings'
import { queueAlertWebhookCall } from '#core/monitoring/alert_notifications'
import { renderPage } from '#core/render_page'
import { conflict } from '#core/app_error'
import { coreDependencies } from '#core/core_dependencies'
import { alertSettingsValidator } from '#core/validators/alerts'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { randomUUID } from 'node:crypto'

export default class AlertSettingsController {
  async show(ctx: HttpContext) {
    const administrators = (await coreDependencies.administrators?.()) ?? []
    return renderPage(ctx, 'admin/settings/alerts', {
      settings: await loadAlertSettings(),
      administrators,
    })
  }

  /** Saves `{ recipients, webhook_url }`. The response to the first URL contains the new webhook secret. */
  async update(ctx: HttpContext) {
    const settings = await alertSettingsValidator.validate(ctx.request.body())
    const secret = await db.transaction(async (trx) => {
      const newSecret = await saveAlertSettings(settings, trx)
      await note(ctx, 'alert.settings', { ...settings }, trx)
      return newSecret
    })
    respond(ctx, { message: 'Saved.', data: { secret } })
  }

  /** Only this response contains the new secret. */
  async secret(ctx: HttpContext) {
    const secret = await db.transaction(async (trx) => {
      if (!(await loadAlertWebhook(trx))) throw conflict('Save a webhook address first.')
      const newSecret = await rotateWebhookSecret(trx)
      await note(ctx, 'alert.secret', undefined, trx)
      return newSecret
    })
    respond(ctx, { message: 'Webhook calls now use the new secret.', data: { secret } })
  }

  async test(ctx: HttpContext) {
    const now = new Date()
    const message = `${ctx.actor.name} sent this test alert. Nothing is wrong.`
    const example = { words: message, severity: 'warning' as const, began_at: now, ended_at: null }
    const alert = { label: 'Test alert', runbook: 'README' }
    for (const to of await listAlertRecipients())
      await sendMail(buildAlertMail('began', alert, example, to))
    if (await loadAlertWebhook()) {
      const data = { name: 'core.test', label: alert.label, severity: 'warning', words: message }
      const body = JSON.stringify({ type: 'alert.test', timestamp: now.toISOString(), data })
      await queueAlertWebhookCall({ id: `alert-test-${randomUUID()}`, body })
    }
    respond(ctx, { message: 'Test alert sent.' })
  }
}

function note(
  { actor, request }: HttpContext,
  action: string,
  after: Record<string, unknown> | undefined,
  trx: TransactionClientContract
): Promise<void> {
  const subject = { type: 'alert' as const, id: 'settings', label: 'settings' }
  return audit({ actor, action, subject, after, ip: request.ip() }, trx)
}

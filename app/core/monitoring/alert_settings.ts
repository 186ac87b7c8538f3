import { coreDependencies } from '#core/core_dependencies'
import encryption from '@adonisjs/core/services/encryption'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { randomBytes } from 'node:crypto'

export interface AlertSettings {
  /** `null`: all administrators. */
  recipients: string[] | null
  webhook_url: string | null
}

interface Row extends AlertSettings {
  webhook_secret: string | null
  webhook_tried_at: Date | null
  webhook_worked: boolean | null
  webhook_answer: string | null
}

async function row(trx?: TransactionClientContract): Promise<Row | null> {
  return ((await (trx ?? db).from('alert_settings').where('id', 1).first()) as Row | null) ?? null
}

/** Omits the webhook secret. Only the response that creates a secret contains it. */
export async function loadAlertSettings() {
  const known = await row()
  return {
    recipients: known?.recipients ?? null,
    webhook_url: known?.webhook_url ?? null,
    has_secret: Boolean(known?.webhook_secret),
    last: known?.webhook_tried_at
      ? {
          at: known.webhook_tried_at.toISOString(),
          worked: known.webhook_worked === true,
          answer: known.webhook_answer ?? '',
        }
      : null,
  }
}

export async function listAlertRecipients(trx?: TransactionClientContract): Promise<string[]> {
  const recipients = (await row(trx))?.recipients
  return recipients ?? (await coreDependencies.administrators?.(trx)) ?? []
}

/** Returns `null` if no webhook is set or its secret cannot be decrypted. */
export async function loadAlertWebhook(
  trx?: TransactionClientContract
): Promise<{ url: string; secret: string } | null> {
  const known = await row(trx)
  const secret = known?.webhook_secret ? encryption.decrypt<string>(known.webhook_secret) : null
  return known?.webhook_url && secret ? { url: known.webhook_url, secret } : null
}

/** Creates and returns a secret if `settings` has a webhook URL and no secret exists. Otherwise returns `null`. */
export async function saveAlertSettings(
  settings: AlertSettings,
  trx: TransactionClientContract
): Promise<string | null> {
  const known = await row(trx)
  const isFirst = Boolean(settings.webhook_url) && !known?.webhook_secret
  const secret = isFirst ? newSecret() : null
  await write({ ...settings, ...(secret && { webhook_secret: encryption.encrypt(secret) }) }, trx)
  return secret
}

/** Replaces the webhook secret. From then on, no call is signed with the old one, not even one that is queued. */
export async function rotateWebhookSecret(trx: TransactionClientContract): Promise<string> {
  const secret = newSecret()
  await write({ webhook_secret: encryption.encrypt(secret) }, trx)
  return secret
}

export async function saveWebhookResult(worked: boolean, answer: string): Promise<void> {
  await write({ webhook_tried_at: new Date(), webhook_worked: worked, webhook_answer: answer })
}

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`

async function write(change: Partial<Row>, trx?: TransactionClientContract): Promise<void> {
  await (trx ?? db)
    .insertQuery()
    .table('alert_settings')
    .insert({ id: 1, ...change })
    .knexQuery.onConflict('id')
    .merge(change)
}

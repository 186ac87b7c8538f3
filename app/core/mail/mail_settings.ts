import { appUrl } from '#config/app'
import type { MailBrand } from '#core/mail/mail_template'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { createHash } from 'node:crypto'

export interface MailSettings {
  brand: string
  footer: string
  reply_to: string | null
}

const DEFAULT_MAIL_SETTINGS: MailSettings = { brand: 'Berth', footer: '', reply_to: null }

export const MAIL_LOGO_URL_PATH = '/mail-logo'

interface Row extends MailSettings {
  logo: Buffer | null
}

async function row(trx?: TransactionClientContract): Promise<Row> {
  const stored = (await (trx ?? db).from('mail_settings').where('id', 1).first()) as Row | null
  return stored ?? { ...DEFAULT_MAIL_SETTINGS, logo: null }
}

export async function loadMailSettings(): Promise<MailSettings & { logo: string | null }> {
  const { brand, footer, reply_to: replyTo, logo } = await row()
  return { brand, footer, reply_to: replyTo, logo: logo && addressOf(logo) }
}

export async function loadMailBrand(
  trx?: TransactionClientContract
): Promise<{ brand: MailBrand; replyTo: string | null }> {
  const { brand, footer, reply_to: replyTo, logo } = await row(trx)
  const footerText = footer ? `${footer}\n${appUrl}` : `${brand}\n${appUrl}`
  return { brand: { name: brand, footer: footerText, logo: logo && addressOf(logo) }, replyTo }
}

/** Includes a hash of the image, so that caches do not serve an old logo. */
function addressOf(logo: Buffer): string {
  const mark = createHash('sha256').update(logo).digest('hex').slice(0, 12)
  return `${appUrl}${MAIL_LOGO_URL_PATH}?v=${mark}`
}

export async function loadMailLogo(): Promise<Buffer | null> {
  return (await row()).logo
}

/** @param logo PNG; `null` removes the logo, `undefined` keeps it */
export async function saveMailSettings(
  settings: MailSettings,
  logo: Buffer | null | undefined,
  trx: TransactionClientContract
): Promise<void> {
  const change = { ...settings, ...(logo !== undefined && { logo }), updated_at: new Date() }
  await trx
    .insertQuery()
    .table('mail_settings')
    .insert({ id: 1, ...change })
    .knexQuery.onConflict('id')
    .merge(change)
}

/** Texts of one kind of email that staff have changed. `null`: the default. */
export interface MailTexts {
  subject: string | null
  intro: string | null
}

export async function loadMailTexts(
  kind: string,
  trx?: TransactionClientContract
): Promise<MailTexts> {
  const stored = (await (trx ?? db).from('mail_words').where({ kind }).first()) as MailTexts | null
  return { subject: stored?.subject ?? null, intro: stored?.intro ?? null }
}

export async function loadAllMailTexts(): Promise<Map<string, MailTexts>> {
  const rows = (await db.from('mail_words')) as (MailTexts & { kind: string })[]
  return new Map(rows.map(({ kind, subject, intro }) => [kind, { subject, intro }]))
}

export async function saveMailTexts(
  kind: string,
  texts: MailTexts,
  trx: TransactionClientContract
): Promise<void> {
  const change = { ...texts, updated_at: new Date() }
  await trx
    .insertQuery()
    .table('mail_words')
    .insert({ kind, ...change })
    .knexQuery.onConflict('kind')
    .merge(change)
}

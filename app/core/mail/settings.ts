import { appUrl } from '#config/app'
import type { Brand } from '#core/mail/template'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { createHash } from 'node:crypto'

export interface MailSettings {
  brand: string
  footer: string
  reply_to: string | null
}

const DEFAULT_MAIL_SETTINGS: MailSettings = { brand: 'Berth', footer: '', reply_to: null }

/** Where the logo of mails is served. */
export const LOGO_PATH = '/mail-logo'

interface Row extends MailSettings {
  logo: Buffer | null
}

async function row(trx?: TransactionClientContract): Promise<Row> {
  const found = (await (trx ?? db).from('mail_settings').where('id', 1).first()) as Row | null
  return found ?? { ...DEFAULT_MAIL_SETTINGS, logo: null }
}

export async function mailSettings(): Promise<MailSettings & { logo: string | null }> {
  const { brand, footer, reply_to: replyTo, logo } = await row()
  return { brand, footer, reply_to: replyTo, logo: logo && addressOf(logo) }
}

/** As templates want it. The footer says where the mail is from. */
export async function mailBrand(
  trx?: TransactionClientContract
): Promise<{ brand: Brand; replyTo: string | null }> {
  const { brand, footer, reply_to: replyTo, logo } = await row(trx)
  const told = footer ? `${footer}\n${appUrl}` : `${brand}\n${appUrl}`
  return { brand: { name: brand, footer: told, logo: logo && addressOf(logo) }, replyTo }
}

/** Changes with the picture, so that nobody keeps an old one. */
function addressOf(logo: Buffer): string {
  const mark = createHash('sha256').update(logo).digest('hex').slice(0, 12)
  return `${appUrl}${LOGO_PATH}?v=${mark}`
}

export async function mailLogo(): Promise<Buffer | null> {
  return (await row()).logo
}

/** @param logo a PNG; null takes it away, nothing leaves it */
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

/** Words of kinds of mail that staff have changed; null: as they were. */
export interface MailWords {
  subject: string | null
  intro: string | null
}

export async function wordsOf(kind: string, trx?: TransactionClientContract): Promise<MailWords> {
  const found = (await (trx ?? db).from('mail_words').where({ kind }).first()) as MailWords | null
  return { subject: found?.subject ?? null, intro: found?.intro ?? null }
}

export async function allWords(): Promise<Map<string, MailWords>> {
  const rows = (await db.from('mail_words')) as (MailWords & { kind: string })[]
  return new Map(rows.map(({ kind, subject, intro }) => [kind, { subject, intro }]))
}

export async function saveWords(
  kind: string,
  words: MailWords,
  trx: TransactionClientContract
): Promise<void> {
  const change = { ...words, updated_at: new Date() }
  await trx
    .insertQuery()
    .table('mail_words')
    .insert({ kind, ...change })
    .knexQuery.onConflict('kind')
    .merge(change)
}

import { fillPlaceholders, type MailKind } from '#core/mail/mail_kinds'
import { loadMailBrand, type MailTexts, loadMailTexts } from '#core/mail/mail_settings'
import {
  type MailBody,
  type MailBrand,
  type MailContent,
  renderHtml,
  renderText,
} from '#core/mail/mail_template'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * An email without its subject and first paragraph. These come from its kind, or from texts that staff have
 * changed.
 */
export interface MailMessage extends MailBody {
  to: string
  kind: MailKind
  values: Record<string, string>
  /** Expiry of the email's secret, and the subject after the secret is removed. */
  secret?: { until: Date; subject: string }
}

export interface RenderedMail {
  subject: string
  text: string
  html: string
  replyTo: string | null
}

/**
 * Loads the design and the texts for the kinds of these emails. Returns a function that renders one of the emails.
 * @param mails objects without `kind` are ignored
 * @throws Error from the returned function if none of `mails` is a `MailMessage`
 */
export async function createMailRenderer(
  mails: object[],
  trx?: TransactionClientContract
): Promise<(mail: MailMessage) => RenderedMail> {
  const letters = mails.filter((mail): mail is MailMessage => 'kind' in mail)
  if (letters.length === 0)
    return () => {
      throw new Error('None of these mails has a kind that can be rendered')
    }
  const names = [...new Set(letters.map(({ kind }) => kind.name))]
  const { brand, replyTo } = await loadMailBrand(trx)
  const textsByKind = new Map<string, MailTexts>()
  for (const name of names) textsByKind.set(name, await loadMailTexts(name, trx))
  return (mail) => ({
    ...renderTextAndHtml(buildMailContent(mail, textsByKind.get(mail.kind.name)!, brand), brand),
    replyTo,
  })
}

export function buildMailContent(
  { kind, values, ...body }: Omit<MailMessage, 'to' | 'secret'>,
  { subject, intro }: MailTexts,
  brand: MailBrand
): MailContent {
  const all = { ...values, brand: brand.name }
  return {
    ...body,
    subject: fillPlaceholders(subject ?? kind.subject, all),
    intro: fillPlaceholders(intro ?? kind.intro, all),
  }
}

export function renderTextAndHtml(
  content: MailContent,
  brand: MailBrand,
  scheme?: 'light' | 'dark'
) {
  const { subject } = content
  return { subject, text: renderText(content, brand), html: renderHtml(content, brand, scheme) }
}

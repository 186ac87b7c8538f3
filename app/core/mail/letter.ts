import { fill, type MailKind } from '#core/mail/kinds'
import { mailBrand, type MailWords, wordsOf } from '#core/mail/settings'
import { type Body, type Brand, type Content, htmlOf, textOf } from '#core/mail/template'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** A mail of a known kind: its words are staff's or ours, the rest comes with it. */
export interface Letter extends Body {
  to: string
  kind: MailKind
  values: Record<string, string>
  /** For a mail with a secret in it: until when it is of use, and the subject that stays. */
  secret?: { until: Date; subject: string }
}

export interface Written {
  subject: string
  text: string
  html: string
  replyTo: string | null
}

/** How letters are written as they are sent; what is the same in all of these is asked for once. */
export async function writer(
  mails: object[],
  trx?: TransactionClientContract
): Promise<(letter: Letter) => Written> {
  const letters = mails.filter((mail): mail is Letter => 'kind' in mail)
  if (letters.length === 0)
    return () => {
      throw new Error('None of these is a letter')
    }
  const names = [...new Set(letters.map(({ kind }) => kind.name))]
  const { brand, replyTo } = await mailBrand(trx)
  const words = new Map<string, MailWords>()
  for (const name of names) words.set(name, await wordsOf(name, trx))
  return (letter) => ({
    ...shapes(contentOf(letter, words.get(letter.kind.name)!, brand), brand),
    replyTo,
  })
}

export function contentOf(
  { kind, values, ...body }: Omit<Letter, 'to' | 'secret'>,
  { subject, intro }: MailWords,
  brand: Brand
): Content {
  const all = { ...values, brand: brand.name }
  return {
    ...body,
    subject: fill(subject ?? kind.subject, all),
    intro: fill(intro ?? kind.intro, all),
  }
}

export function shapes(content: Content, brand: Brand, scheme?: 'light' | 'dark') {
  const { subject } = content
  return { subject, text: textOf(content, brand), html: htmlOf(content, brand, scheme) }
}

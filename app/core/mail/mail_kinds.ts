import type { MailBody } from '#core/mail/mail_template'

/** A kind of mail that the product sends. Its subject and first paragraph can be put in other words by staff. */
export interface MailKind {
  /** Domain and noun: `identity.code`. */
  name: string
  /** What it is, for staff. */
  label: string
  /** With `{name}` for what differs; `{brand}` is known to all. */
  subject: string
  intro: string
  /** What it may name, each with an example for the preview. */
  placeholders: Record<string, string>
  /** The rest of it, for the preview. */
  sample: MailBody
}

const mailKinds = new Map<string, MailKind>()

/** A domain says in its `mails.ts` which mails it sends, and names them in its `domain.ts`. */
export function defineMailKind(kind: MailKind): MailKind {
  if (mailKinds.has(kind.name)) throw new Error(`Two mails are called ${kind.name}`)
  mailKinds.set(kind.name, kind)
  return kind
}

/** All that are known, by name. */
export function allMailKinds(): MailKind[] {
  return [...mailKinds.values()].sort((one, other) => one.name.localeCompare(other.name))
}

export function findMailKind(name: string): MailKind | null {
  return mailKinds.get(name) ?? null
}

const PLACEHOLDER_PATTERN = /\{([^{}]*)\}/g

/** Names in curly brackets that this kind of mail does not know. */
export function unknownPlaceholders({ placeholders }: MailKind, text: string): string[] {
  return [...text.matchAll(PLACEHOLDER_PATTERN)]
    .map(([, name]) => name)
    .filter((name) => name !== 'brand' && !Object.hasOwn(placeholders, name))
}

/** Puts values in place of names, all in one line: what people are called never breaks a header. */
export function fillPlaceholders(text: string, values: Record<string, string>): string {
  return text.replace(PLACEHOLDER_PATTERN, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name].replace(/[\r\n]+/g, ' ') : whole
  )
}

import type { MailBody } from '#core/mail/mail_template'

/** A kind of email that Berth sends. Staff can replace its subject and first paragraph. */
export interface MailKind {
  /** Module and noun: `identity.code`. */
  name: string
  label: string
  /** May contain placeholders such as `{name}`. `{brand}` is always available. */
  subject: string
  intro: string
  /** Available placeholders, each with an example value for the preview. */
  placeholders: Record<string, string>
  /** The remaining parts of the email, for the preview. */
  sample: MailBody
}

const mailKinds = new Map<string, MailKind>()

/** Registers a kind of email. A module defines its kinds in `mails.ts` and lists them in `module.ts`. */
export function defineMailKind(kind: MailKind): MailKind {
  if (mailKinds.has(kind.name)) throw new Error(`Two mails are called ${kind.name}`)
  mailKinds.set(kind.name, kind)
  return kind
}

export function allMailKinds(): MailKind[] {
  return [...mailKinds.values()].sort((one, other) => one.name.localeCompare(other.name))
}

export function findMailKind(name: string): MailKind | null {
  return mailKinds.get(name) ?? null
}

const PLACEHOLDER_PATTERN = /\{([^{}]*)\}/g

/** Returns the placeholders in a text that are not available in this kind of email. */
export function unknownPlaceholders({ placeholders }: MailKind, text: string): string[] {
  return [...text.matchAll(PLACEHOLDER_PATTERN)]
    .map(([, name]) => name)
    .filter((name) => name !== 'brand' && !Object.hasOwn(placeholders, name))
}

/**
 * Replaces placeholders by values. Line breaks in values become spaces, so that no name can break a mail
 * header.
 */
export function fillPlaceholders(text: string, values: Record<string, string>): string {
  return text.replace(PLACEHOLDER_PATTERN, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name].replace(/[\r\n]+/g, ' ') : whole
  )
}

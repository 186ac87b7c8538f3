import type { MailBody } from '#core/mail/mail_template'

export interface MailKind {
  /** Module and noun of the kind: `identity.code`. */
  name: string
  label: string
  /** May contain placeholders such as `{name}`. `{brand}` is always available. */
  subject: string
  intro: string
  /** Names of the placeholders, each with an example value for the preview. */
  placeholders: Record<string, string>
  sample: MailBody
}

const mailKinds = new Map<string, MailKind>()

/**
 * Each module lists its kinds of email in `module.ts`.
 * @throws if another kind has the same name
 */
export function defineMailKind(kind: MailKind): MailKind {
  if (mailKinds.has(kind.name)) throw new Error(`Two kinds of mail have the name ${kind.name}`)
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

export function unknownPlaceholders({ placeholders }: MailKind, text: string): string[] {
  return [...text.matchAll(PLACEHOLDER_PATTERN)]
    .map(([, name]) => name)
    .filter((name) => name !== 'brand' && !Object.hasOwn(placeholders, name))
}

/**
 * Replaces placeholders by their values. Line breaks in values become spaces, because they could add headers to the
 * email.
 */
export function fillPlaceholders(text: string, values: Record<string, string>): string {
  return text.replace(PLACEHOLDER_PATTERN, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name].replace(/[\r\n]+/g, ' ') : whole
  )
}

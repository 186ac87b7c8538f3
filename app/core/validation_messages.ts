import { RULE_WITH_OWN_MESSAGE } from '#core/field_rules'
import type { FieldContext, MessagesProviderContact } from '@vinejs/vine/types'

type MessageArgs = Record<string, unknown> | null | undefined
type MessageTemplate = (label: string, args: NonNullable<MessageArgs>) => string

const messages: Record<string, MessageTemplate> = {
  required: (label) => `Enter the ${label}.`,
  string: (label) => `Enter the ${label} as text.`,
  email: () => 'Enter a valid email address.',
  ipAddress: (label) => `Enter the ${label} as an address such as 203.0.113.7.`,
  minLength: (label, { min }) =>
    min === 1 ? `Enter the ${label}.` : `Use at least ${min} characters for the ${label}.`,
  maxLength: (label, { max }) => `Use at most ${max} characters for the ${label}.`,
  regex: (label) => `The ${label} contains characters that are not allowed.`,
  sameAs: (label) => `The ${label} does not match.`,
  enum: (label, { choices }) => `Choose the ${label}: ${(choices as string[]).join(', ')}.`,
  uuid: (label) => `This ${label} does not exist.`,
  boolean: (label) => `Choose yes or no for “${label}”.`,
  number: (label) => `Enter the ${label} as a number.`,
  withoutDecimals: (label) => `Enter the ${label} as a whole number.`,
  positive: (label) => `The ${label} must be above 0.`,
  min: (label, { min }) => `The ${label} must be ${min} or more.`,
  max: (label, { max }) => `The ${label} must be ${max} or less.`,
  range: (label, { min, max }) => `The ${label} must be between ${min} and ${max}.`,
  array: (label) => `Send the ${label} as a list.`,
  'array.minLength': (label, { min }) => `Enter at least ${min} ${label}.`,
  'array.maxLength': (label, { max }) => `Enter at most ${max} ${label}.`,
  distinct: (label) => `The ${label} must not contain duplicates.`,
  object: (label) => `Enter the ${label}.`,
  record: (label) => `Enter the ${label}.`,
}

/**
 * Labels by field, and messages by `field.rule`. The key `field.invalid` applies to the field's rules without such a
 * key, unless the rule writes its own message. The key of a nested field is its path (`pricing.*.price`).
 */
export type FormTexts = Record<string, string>

/** A rule without a message gets "Check the …" instead of the framework's own message. */
export function withMessages<Form extends { messagesProvider: MessagesProviderContact }>(
  form: Form,
  texts: FormTexts = {}
): Form {
  form.messagesProvider = {
    getMessage: (own, rule, field, args) =>
      rule === RULE_WITH_OWN_MESSAGE
        ? own
        : (texts[`${field.wildCardPath}.${rule}`] ??
          texts[`${field.wildCardPath}.invalid`] ??
          (messages[rule] ?? defaultMessage)(fieldLabel(field, texts), args ?? {})),
  }
  return form
}

const defaultMessage: MessageTemplate = (label) => `Check the ${label}.`

/** Default: the field's name as words, without `_id`. List items use the label of their list. */
function fieldLabel({ wildCardPath }: FieldContext, texts: FormTexts): string {
  const parts = wildCardPath.split('.').filter((part) => part !== '*')
  return (
    texts[wildCardPath] ??
    texts[parts.join('.')] ??
    (parts.at(-1) ?? 'form')
      .replace(/_id$/, '')
      .replaceAll('_', ' ')
      .replace(/[A-Z]/g, (character) => ` ${character.toLowerCase()}`)
  )
}

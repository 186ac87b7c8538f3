import type { FieldContext, MessagesProviderContact } from '@vinejs/vine/types'

type MessageArgs = Record<string, unknown> | null | undefined
type MessageTemplate = (label: string, args: NonNullable<MessageArgs>) => string

/** What is said where a rule is broken; `label` is the field as people know it. */
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
  enum: (label) => `Choose a ${label} from the list.`,
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
 * What a form says of its fields: `field` -> what its label calls it, `field.rule` -> a sentence of its
 * own. Fields within others are named with their path (`pricing.*.price`).
 */
export type FormLabels = Record<string, string>

/**
 * Gives a form our sentences; the framework's own never reach people. A rule that has no sentence here
 * is answered with "Check the …".
 */
export function withMessages<Form extends { messagesProvider: MessagesProviderContact }>(
  form: Form,
  labels: FormLabels = {}
): Form {
  form.messagesProvider = {
    getMessage: (_, rule, field, args) =>
      labels[`${field.wildCardPath}.${rule}`] ??
      (messages[rule] ?? defaultMessage)(fieldLabel(field, labels), args ?? {}),
  }
  return form
}

const defaultMessage: MessageTemplate = (label) => `Check the ${label}.`

/** `server_package_id` is the package unless the form calls it otherwise; of a list, the list. */
function fieldLabel({ wildCardPath }: FieldContext, labels: FormLabels): string {
  const parts = wildCardPath.split('.').filter((part) => part !== '*')
  return (
    labels[wildCardPath] ??
    labels[parts.join('.')] ??
    (parts.at(-1) ?? 'form')
      .replace(/_id$/, '')
      .replaceAll('_', ' ')
      .replace(/[A-Z]/g, (character) => ` ${character.toLowerCase()}`)
  )
}

import type { FieldContext, MessagesProviderContact } from '@vinejs/vine/types'

type Args = Record<string, unknown> | null | undefined
type Sentence = (label: string, args: NonNullable<Args>) => string

/** What is said where a rule is broken; `label` is the field as people know it. */
const sentences: Record<string, Sentence> = {
  required: (label) => `Enter the ${label}.`,
  string: (label) => `Enter the ${label} as text.`,
  email: () => 'Enter a valid email.',
  ipAddress: (label) => `Enter the ${label} as an address such as 203.0.113.7.`,
  minLength: (label, { min }) =>
    min === 1 ? `Enter the ${label}.` : `The ${label} has at least ${min} characters.`,
  maxLength: (label, { max }) => `The ${label} has at most ${max} characters.`,
  regex: (label) => `The ${label} has characters that cannot be used.`,
  sameAs: (label) => `The ${label} is not the same.`,
  enum: (label) => `Choose one of the ${label}s offered.`,
  uuid: (label) => `This ${label} does not exist.`,
  boolean: (label) => `Say yes or no to “${label}”.`,
  number: (label) => `Enter the ${label} as a number.`,
  withoutDecimals: (label) => `Enter the ${label} as a whole number.`,
  positive: (label) => `The ${label} is more than 0.`,
  min: (label, { min }) => `The ${label} is ${min} or more.`,
  max: (label, { max }) => `The ${label} is ${max} or less.`,
  range: (label, { min, max }) => `The ${label} is between ${min} and ${max}.`,
  array: (label) => `Send the ${label} as a list.`,
  'array.minLength': (label, { min }) => `Give at least ${min} of the ${label}.`,
  'array.maxLength': (label, { max }) => `Give at most ${max} of the ${label}.`,
  distinct: (label) => `Each of the ${label} can be given once.`,
  object: (label) => `Enter the ${label}.`,
  record: (label) => `Enter the ${label}.`,
}

/**
 * What a form says of its fields: `field` -> what its label calls it, `field.rule` -> a sentence of its
 * own. Fields within others are named with their path (`pricing.*.price`).
 */
export type FormWords = Record<string, string>

/**
 * Gives a form our sentences; the framework's own never reach people. A rule that has no sentence here
 * is answered with "Check the …".
 */
export function inOurWords<Form extends { messagesProvider: MessagesProviderContact }>(
  form: Form,
  words: FormWords = {}
): Form {
  form.messagesProvider = {
    getMessage: (_, rule, field, args) =>
      words[`${field.wildCardPath}.${rule}`] ??
      (sentences[rule] ?? checkIt)(labelOf(field, words), args ?? {}),
  }
  return form
}

const checkIt: Sentence = (label) => `Check the ${label}.`

/** `server_package_id` is the package unless the form calls it otherwise; of a list, the list. */
function labelOf({ wildCardPath }: FieldContext, words: FormWords): string {
  const parts = wildCardPath.split('.').filter((part) => part !== '*')
  return (
    words[wildCardPath] ??
    words[parts.join('.')] ??
    (parts.at(-1) ?? 'form')
      .replace(/_id$/, '')
      .replaceAll('_', ' ')
      .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  )
}

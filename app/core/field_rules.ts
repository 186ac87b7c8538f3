import vine from '@vinejs/vine'
import type { FieldContext } from '@vinejs/vine/types'

export const RULE_WITH_OWN_MESSAGE = 'own'

/**
 * Rejects values that JavaScript would convert to a number, such as `0x50`, `1e3`, ` 80`, `[80]` or `true`. For the
 * option `parse` of a number field.
 */
export const digitsOnly = (value: unknown) => {
  if (typeof value === 'string') return DIGITS_PATTERN.test(value) ? value : Number.NaN
  return typeof value === 'number' || value === null || value === undefined ? value : Number.NaN
}

/** No leading zeros. Also matches fractions, which `withoutDecimals` then rejects with its own message. */
const DIGITS_PATTERN = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/

/** Overriding `parse` replaces `digitsOnly`. Such a field must call `digitsOnly` itself. */
export const wholeNumberSchema = () => vine.number().parse(digitsOnly).withoutDecimals()

/**
 * Validates the id of another record in a form. Ids in the route need no validation: `getInstance` and similar
 * functions throw 404.
 */
export const recordIdSchema = () => wholeNumberSchema().positive().max(Number.MAX_SAFE_INTEGER)

export const problemRule = <Value>(
  findProblem: (value: Value, field: FieldContext) => string | null
) =>
  vine.createRule((value, _, field) => {
    const problem = findProblem(value as Value, field)
    if (problem !== null) field.report(problem, RULE_WITH_OWN_MESSAGE, field)
  })()

/** `parse` returns the stored form, or `null` for an invalid text. */
export const formatRule = (parse: (text: string) => string | null) =>
  vine.createRule((value, _, field) => {
    const stored = parse(value as string)
    if (stored === null) field.report('', 'format', field)
    else field.mutate(stored, field)
  })()

/** For `parse` of a nullable field: forms send an empty field as ''. */
export const emptyToNull = (value: unknown) => (value === '' ? null : value)

type Sent = Record<string, unknown>

/** For `parse` of a nullable field that only some forms contain. In other forms it becomes `null`. */
export const onlyIn =
  (hasField: (form: Sent) => boolean) =>
  (value: unknown, { parent }: { parent: Sent }) =>
    hasField(parent) ? (value ?? undefined) : null

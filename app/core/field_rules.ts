import vine from '@vinejs/vine'
import type { FieldContext } from '@vinejs/vine/types'

export const RULE_WITH_OWN_MESSAGE = 'own'

/**
 * Rejects text that JavaScript would convert to a number, such as `0x50`, `1e3`, ` 80`, `[80]` or `true`.
 * Use it as `parse` of a number.
 */
export const digitsOnly = (value: unknown) => {
  if (typeof value === 'string') return DIGITS_PATTERN.test(value) ? value : Number.NaN
  return typeof value === 'number' || value === null || value === undefined ? value : Number.NaN
}

/** Digits without leading zeros. The pattern accepts a fraction; the rule for whole numbers then reports it. */
const DIGITS_PATTERN = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/

/** A field with its own `parse` must call `digitsOnly` in it. */
export const wholeNumberSchema = () => vine.number().parse(digitsOnly).withoutDecimals()

/**
 * Validates the id of another record in a form. The id of the request's own record needs no validation:
 * `getInstance` and similar functions throw 404.
 */
export const recordIdSchema = () => wholeNumberSchema().positive().max(Number.MAX_SAFE_INTEGER)

export const problemRule = <Value>(
  findProblem: (value: Value, field: FieldContext) => string | null
) =>
  vine.createRule((value, _, field) => {
    const problem = findProblem(value as Value, field)
    if (problem !== null) field.report(problem, RULE_WITH_OWN_MESSAGE, field)
  })()

/** Returns a rule for a format. `parse` returns the stored form, or `null` for an invalid text. */
export const formatRule = (parse: (text: string) => string | null) =>
  vine.createRule((value, _, field) => {
    const stored = parse(value as string)
    if (stored === null) field.report('', 'format', field)
    else field.mutate(stored, field)
  })()

/** For `parse` of a nullable field that a form can send empty. */
export const emptyToNull = (value: unknown) => (value === '' ? null : value)

type Sent = Record<string, unknown>

/** For `parse` of a nullable field that only some forms have. In others it becomes `null`. */
export const onlyIn =
  (hasField: (form: Sent) => boolean) =>
  (value: unknown, { parent }: { parent: Sent }) =>
    hasField(parent) ? (value ?? undefined) : null

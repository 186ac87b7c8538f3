import vine from '@vinejs/vine'
import type { FieldContext } from '@vinejs/vine/types'

/** Name of rules whose messages people see unchanged (`withMessages`). */
export const OWN_MESSAGE = 'own'

/**
 * A record's id in a form. The id of the record that a request is about goes unchecked to a function such as
 * `getInstance`, which answers 404.
 */
export const recordIdSchema = () =>
  vine.number().withoutDecimals().positive().max(Number.MAX_SAFE_INTEGER)

/** Makes a rule of a function that returns what is wrong with a value, or `null`. */
export const problemRule = <Value>(
  findProblem: (value: Value, field: FieldContext) => string | null
) =>
  vine.createRule((value, _, field) => {
    const problem = findProblem(value as Value, field)
    if (problem !== null) field.report(problem, OWN_MESSAGE, field)
  })()

/** Makes a rule of a function that returns a text in its stored form, or `null` for an invalid one. */
export const formatRule = (parse: (text: string) => string | null) =>
  vine.createRule((value, _, field) => {
    const stored = parse(value as string)
    if (stored === null) field.report('', 'format', field)
    else field.mutate(stored, field)
  })()

type Sent = Record<string, unknown>

/** For `parse` of a nullable field that only some forms have. In others it becomes `null`. */
export const onlyIn =
  (hasField: (form: Sent) => boolean) =>
  (value: unknown, { parent }: { parent: Sent }) =>
    hasField(parent) ? (value ?? undefined) : null

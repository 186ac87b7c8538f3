import { invalid, AppError } from '#core/app_error'
import { parseEnv } from 'node:util'

const VARIABLE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
/** The machine, PM2 or Berth set these. Another value would keep apps from starting. */
const RESERVED_NAME_PATTERN =
  /^(PATH|HOME|USER|SHELL|PWD|IFS|ENV|BASH_ENV|LD_[A-Z_]+|PM2_\w+|SUDO_\w+|BERTH_\w+)$/
const MAX_VARIABLES = 100
/** Limits of one value, and of all names and values together. */
const MAX_VALUE_BYTES = 32 * 1024
const MAX_TOTAL_BYTES = 64 * 1024

/** A variable with the value null keeps its current value. */
export interface SentVariable {
  name: string
  value: string | null
}

/**
 * The list must be complete.
 * @throws 422 with errors at `variables.<index>`, so that the page can show each at its line
 */
export function parseVariables(sent: unknown, known: Record<string, string>): SentVariable[] {
  if (!Array.isArray(sent)) throw invalid({ variables: 'Send the list of variables.' })
  if (sent.length > MAX_VARIABLES)
    throw invalid({ variables: `A project can have at most ${MAX_VARIABLES} variables.` })
  const errors: Record<string, string> = {}
  const seen = new Set<string>()
  let size = 0
  const variables = sent.map((entry: unknown, index): SentVariable => {
    const { name, value } = (typeof entry === 'object' && entry !== null ? entry : {}) as {
      name?: unknown
      value?: unknown
    }
    const read = {
      name: typeof name === 'string' ? name.trim() : '',
      value: typeof value === 'string' ? value : null,
    }
    const wrong = whyNot(read, seen, known)
    if (wrong) errors[`variables.${index}`] = wrong
    seen.add(read.name)
    size += Buffer.byteLength(read.name) + Buffer.byteLength(read.value ?? known[read.name] ?? '')
    return read
  })
  if (size > MAX_TOTAL_BYTES) errors.variables = 'All variables together can have at most 64 KB.'
  if (Object.keys(errors).length) throw invalid(errors)
  return variables
}

/**
 * Variables of other names stay.
 * @throws 422 with the error at `dotenv`
 */
export function parseDotenv(text: unknown, known: Record<string, string>): SentVariable[] {
  if (typeof text !== 'string' || !text.trim())
    throw invalid({ dotenv: 'Paste the lines of a .env file.' })
  if (Buffer.byteLength(text) > 2 * MAX_TOTAL_BYTES)
    throw invalid({ dotenv: 'Paste at most 128 KB.' })
  const parsed = parseEnv(text)
  const unchanged = Object.keys(known).filter((name) => !Object.hasOwn(parsed, name))
  const list = [
    ...unchanged.map((name) => ({ name })),
    ...Object.entries(parsed).map(([name, value]) => ({ name, value })),
  ]
  if (list.length === unchanged.length)
    throw invalid({ dotenv: 'No line has the form NAME=value.' })
  try {
    return parseVariables(list, known)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const [[field, [messages]]] = Object.entries(error.errors ?? {})
    const name = list[Number(field.split('.')[1])]?.name
    throw invalid({ dotenv: name === undefined ? messages : `${name}: ${messages}` })
  }
}

function whyNot({ name, value }: SentVariable, seen: Set<string>, known: Record<string, string>) {
  if (!name) return 'Enter a name.'
  if (!VARIABLE_NAME_PATTERN.test(name)) {
    return 'Use letters, digits and underscores, and do not start with a digit.'
  }
  if (RESERVED_NAME_PATTERN.test(name))
    return `${name} is set by the server instance. Choose another name.`
  if (seen.has(name)) return `${name} is listed twice.`
  if (value === null) return Object.hasOwn(known, name) ? null : 'Enter a value.'
  if (value.includes('\0')) return 'A value cannot contain the NUL character.'
  return Buffer.byteLength(value) > MAX_VALUE_BYTES ? 'A value can have at most 32 KB.' : null
}

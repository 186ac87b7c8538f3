import { invalid, AppError } from '#core/app_error'
import { parseDotenvFile } from '#projects/validators/dotenv_file'

const VARIABLE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
/** Matches names of variables that the instance, PM2 or Berth sets. Other values could break apps. */
const RESERVED_NAME_PATTERN =
  /^(PATH|HOME|USER|SHELL|PWD|IFS|ENV|BASH_ENV|LD_[A-Z_]+|PM2_\w+|SUDO_\w+|BERTH_\w+)$/
const MAX_VARIABLES = 100
const MAX_VALUE_BYTES = 32 * 1024
/** Maximum size of all names and values together. */
const MAX_TOTAL_BYTES = 64 * 1024

/** A variable in a request. With the value null, the project's variable keeps its current value. */
export interface SentVariable {
  name: string
  value: string | null
}

/**
 * Parses the complete list of variables.
 * @throws 422 with errors at `variables.<index>`, so that the page can show each error next to its variable. Errors of
 * the whole list are at `variables`
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

const MAX_SHOWN_PROBLEMS = 5

/**
 * The variables of the pasted file replace current ones of the same name. The others stay, unless `replace` is set. The
 * person who pasted the file sees the notes.
 * @throws 422 at `dotenv`, with the first lines that cannot be read or are not allowed
 */
export function parseDotenv(
  text: unknown,
  known: Record<string, string>,
  { replace }: { replace: boolean }
): { variables: SentVariable[]; notes: string[] } {
  if (typeof text !== 'string' || !text.trim())
    throw invalid({ dotenv: 'Paste the lines of a .env file.' })
  if (Buffer.byteLength(text) > 2 * MAX_TOTAL_BYTES)
    throw invalid({ dotenv: 'Paste at most 128 KB.' })
  const { entries, problems, notes } = parseDotenvFile(text)
  if (problems.length) throw invalid({ dotenv: joinProblems(problems) })
  if (entries.length === 0) throw invalid({ dotenv: 'No line has the form NAME=value.' })
  const pasted = new Map(entries.map((entry) => [entry.name, entry]))
  const others = Object.keys(known).filter((name) => !pasted.has(name))
  const unchanged = replace ? [] : others
  const list = [...unchanged.map((name) => ({ name })), ...pasted.values()]
  if (replace && others.length) notes.push(`Removed: ${others.join(', ')}.`)
  try {
    return { variables: parseVariables(list, known), notes }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const messages = Object.entries(error.errors ?? {}).map(([field, [message]]) => {
      const entry = list[Number(field.split('.')[1])]
      return entry && 'line' in entry ? `Line ${entry.line}: ${message}` : message
    })
    throw invalid({ dotenv: joinProblems(messages) })
  }
}

function joinProblems(problems: string[]): string {
  const more = problems.length - MAX_SHOWN_PROBLEMS
  const shown = problems.slice(0, MAX_SHOWN_PROBLEMS)
  return [...shown, ...(more > 0 ? [`${more} more lines have problems.`] : [])].join(' ')
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

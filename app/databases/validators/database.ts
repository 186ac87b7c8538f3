import {
  digitsOnly,
  emptyToNull,
  formatRule,
  problemRule,
  recordIdSchema,
  wholeNumberSchema,
} from '#core/field_rules'
import { findServicePasswordProblem } from '#core/service_passwords'
import { withMessages } from '#core/validation_messages'
import type { Engine } from '#databases/engines'
import { findNameProblem, normaliseName } from '#databases/names'
import { serverActions } from '#databases/operations/server_actions'
import type { Server } from '#databases/servers/server'
import vine from '@vinejs/vine'
import { isIPv4 } from 'node:net'

/** The hints below the password field describe the same rules. */
const passwordRules: Record<Engine, { pattern: RegExp; lacks: string }> = {
  mysql: { pattern: /\p{Lu}/u, lacks: 'The password needs an upper-case letter.' },
  mongodb: { pattern: /\d/, lacks: 'The password needs a digit.' },
}

interface Meta {
  server: Server
}

const messages = {
  'user_password.invalid': 'Enter the password.',
  'access.invalid': 'Choose read, write or all.',
}

const nameSchema = (what: 'database' | 'user') =>
  vine
    .string()
    .parse(normaliseName)
    .use(problemRule((name: string, { meta }) => findNameProblem(meta.server, name, what)))
    .transform((name, { meta }) => `${meta.server.prefix}${name}`)

/** Does not trim passwords, because spaces at the ends are valid. */
const passwordSchema = () =>
  vine.string().use(problemRule((text: string, { meta }) => findPasswordProblem(text, meta.server)))

const accessSchema = () => vine.enum(['read', 'write', 'all'] as const)

export const newDatabaseValidator = withMessages(
  vine.withMetaData<Meta>().create({
    database_name: nameSchema('database'),
    username: nameSchema('user'),
    user_password: passwordSchema(),
  }),
  messages
)

export const newDatabaseNameValidator = withMessages(
  vine.withMetaData<Meta>().create({ database_name: nameSchema('database') })
)

export const newUserValidator = withMessages(
  vine.withMetaData<Meta>().create({
    username: nameSchema('user'),
    user_password: passwordSchema().nullable().optional(),
    access: accessSchema().nullable().optional(),
  }),
  messages
)

export const newPasswordValidator = withMessages(
  vine.withMetaData<Meta>().create({ user_password: passwordSchema().nullable().optional() }),
  messages
)

export const accessValidator = withMessages(vine.create({ access: accessSchema() }), messages)

/** An IPv4 address, or a range of at most 65,536 addresses. Empty: no remote address. */
export const remoteAddressValidator = withMessages(
  vine.create({
    address: vine
      .string()
      .parse(emptyToNull)
      .use(formatRule(parseRemoteAddress))
      .nullable()
      .optional(),
  }),
  {
    'address.invalid':
      'Enter one IP address such as 203.0.113.7, or a range such as 203.0.113.0/24.',
  }
)

export const serverActionValidator = withMessages(
  vine.create({ action: vine.enum([...serverActions, 'install'] as const) }),
  { 'action.invalid': 'Choose install, start, stop or restart.' }
)

export const projectConnectionValidator = withMessages(
  vine.create({ user_password: vine.string().minLength(1), project_id: recordIdSchema() }),
  {
    'user_password.invalid': 'Enter the password of this user.',
    'project_id.invalid': 'Choose the project.',
  }
)

export const restoreValidator = withMessages(
  vine.create({ how: vine.enum(['over', 'beside'] as const) }),
  { 'how.invalid': 'Choose whether to replace the database or restore into a new one.' }
)

/** Values that mean on. All others mean off. */
const ON_VALUES: unknown[] = [true, 1, '1', 'true', 'on']

/** Fields that are missing keep their stored value. An empty `vault_id` means that no vault receives copies. */
export const backupPlanValidator = withMessages(
  vine.create({
    keep: wholeNumberSchema().range([1, 90]).nullable().optional(),
    days: wholeNumberSchema().range([1, 365]).nullable().optional(),
    nightly: vine
      .boolean()
      .parse((value) => ((value ?? null) === null ? value : ON_VALUES.includes(value)))
      .nullable()
      .optional(),
    vault_id: recordIdSchema()
      .parse((value) => digitsOnly(emptyToNull(value)))
      .nullable()
      .optional(),
  }),
  {
    'keep.invalid': 'Enter a number from 1 to 90.',
    'days.invalid': 'Enter a number from 1 to 365.',
    'vault_id.invalid': 'Choose one of your vaults.',
  }
)

/**
 * Validates the credentials that some engines need for import and export. A client may send a password of digits as
 * a number.
 */
export const credentialsValidator = withMessages(
  vine.create({
    username: vine.string().parse(scalarToText),
    user_password: vine.string().parse(scalarToText),
  })
)

export const importValidator = withMessages(
  vine.create({
    mode: vine.enum(['replace', 'merge'] as const).parse((value) => value ?? 'replace'),
    accept_missing_end: vine.boolean().optional(),
  }),
  { 'mode.invalid': 'Choose replace or merge.' }
)

export const exportFormatValidator = withMessages(
  vine.create({
    format: vine
      .enum(['sql', 'sql.gz', 'gz'] as const)
      .parse(emptyToNull)
      .nullable()
      .optional(),
  }),
  { 'format.invalid': 'Choose sql or sql.gz.' }
)

function scalarToText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : (value ?? '')
}

function findPasswordProblem(password: string, { engine }: Server): string | null {
  const { pattern, lacks } = passwordRules[engine]
  if (password === '') return 'Enter the password.'
  return findServicePasswordProblem(password) ?? (pattern.test(password) ? null : lacks)
}

function parseRemoteAddress(sent: string): string | null {
  const [address, bits, ...rest] = sent.trim().split('/')
  if (!isIPv4(address) || rest.length > 0 || address.startsWith('0.')) return null
  if (bits === undefined || bits === '32') return address
  if (!/^\d{1,2}$/.test(bits) || Number(bits) < 16 || Number(bits) > 31) return null
  return `${address}/${bits}`
}

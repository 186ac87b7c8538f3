import { test } from '@japa/runner'
import { errors, type VineValidator } from '@vinejs/vine'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Field {
  type: string
  fieldName: string
  validations: { name: string }[]
  properties?: Field[]
  each?: Field
}

type Form = Pick<VineValidator<never, undefined>, 'toJSON'> & {
  validate(sent: unknown, options: object): Promise<unknown>
}

const odd = [
  undefined,
  null,
  '',
  ' ',
  'x',
  '-',
  'a b\u0007c',
  'é!?;',
  'x'.repeat(30_000),
  -1,
  0,
  0.5,
  1e15,
  true,
  [],
  {},
  [{}],
  ['x', 'x'],
  { x: 'y' },
  { x: -1 },
  Array.from({ length: 60 }, () => 'x'),
]

const meta = {
  email: 'ann.smith@example.com',
  server: { engine: 'mysql', prefix: 'a1_' },
}

async function forms() {
  const found: [string, Form][] = []
  for await (const file of glob('app/*/validators/*.ts')) {
    const names: Record<string, unknown> = await import(join(process.cwd(), file))
    for (const [name, form] of Object.entries(names)) {
      if (isForm(form)) found.push([`${file} ${name}`, form])
    }
  }
  return found
}

const isForm = (value: unknown): value is Form =>
  typeof value === 'object' && value !== null && 'messagesProvider' in value

/** Yields inputs for a form. In each, the whole input, one field or one list item is the unusual `value`. */
function* withOdd(field: Field, value: unknown): Generator<unknown> {
  yield value
  if (field.each) for (const one of withOdd(field.each, value)) yield [one]
  for (const part of field.properties ?? []) {
    for (const one of withOdd(part, value)) yield { [part.fieldName]: one }
  }
}

async function saidBy(form: Form): Promise<Set<string>> {
  const { schema } = form.toJSON().schema as unknown as { schema: Field }
  const said = new Set<string>()
  for (const value of odd) {
    for (const sent of withOdd(schema, value)) {
      try {
        await form.validate(sent, { meta })
      } catch (error) {
        if (!(error instanceof errors.E_VALIDATION_ERROR)) throw error
        for (const { message } of error.messages as { message: string }[]) said.add(message)
      }
    }
  }
  return said
}

/** Names of secret fields. Their values must not be in URLs, because proxies log these. */
const SECRET_FIELD_PATTERN = /password|otp|secret|token|^key$/

const hasSecret = ({ fieldName, properties = [], each }: Field): boolean =>
  SECRET_FIELD_PATTERN.test(fieldName) || [...properties, ...(each ? [each] : [])].some(hasSecret)

test.group('Secrets in forms', () => {
  test('secrets are read from the request body, never from its query string', async ({
    assert,
  }) => {
    const secret = (await forms())
      .filter(([, form]) =>
        hasSecret((form.toJSON().schema as unknown as { schema: Field }).schema)
      )
      .map(([name]) => name.split(' ')[1])
    assert.includeMembers(secret, ['signInValidator', 'newUserValidator', 'cloneValidator'])
    // Code must not validate these forms with `validateUsing`, because it prefers the query string to the body.
    const unsafe = new RegExp(`validateUsing\\(\\s*(${secret.join('|')})\\b`)
    const wrong: string[] = []
    for await (const file of glob('app/*/controllers/**/*.ts')) {
      const match = unsafe.exec(await readFile(file, 'utf8'))
      if (match) wrong.push(`${file}: ${match[0]}`)
    }
    assert.deepEqual(wrong, [])
  })
})

test.group('Messages at form fields', () => {
  test('every form rejects every invalid value with a message of its own', async ({ assert }) => {
    const all = await forms()
    assert.isAbove(all.length, 25)
    const wrong: string[] = []
    for (const [name, form] of all) {
      for (const sentence of await saidBy(form)) {
        // Allowed are `nonBuild`, a term of the product specification, and lists of the values that the API accepts.
        const words = sentence
          .replace('nonBuild', 'other')
          .replace(/^(Choose the [a-z ]+): .+\.$/, '$1.')
        const isOurs =
          /^[A-Z].*\.$/.test(words) &&
          !/\bfield\b|[a-z]_[a-z]|[a-z]{2}[A-Z]|\bselected\b|\b1 characters|undefined|^Check the /.test(
            words
          )
        if (!isOurs) wrong.push(`${name}: ${sentence}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  test('each format rule has its own message', async ({ assert }) => {
    const vague: string[] = []
    for (const [name, form] of await forms()) {
      for (const sentence of await saidBy(form)) {
        if (sentence.endsWith('contains characters that are not allowed.')) {
          vague.push(`${name}: ${sentence}`)
        }
      }
    }
    // These fields reject only unusual characters, such as control characters, so a general message is enough.
    const mayBeVague = /The (name|title|email|user name|password) contains characters/
    assert.deepEqual(
      vague.filter((words) => !mayBeVague.test(words)),
      []
    )
  })
})

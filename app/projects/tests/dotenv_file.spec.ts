import { AppError } from '#core/app_error'
import { parseDotenv } from '#projects/validators/environment'
import { test } from '@japa/runner'
import { readFile } from 'node:fs/promises'

/** Outcome by file of `tests/corpus/env`: the variables, the notes, or the error. */
const outcomes: Record<
  string,
  { variables: Record<string, string>; notes?: string[] } | { error: string }
> = {
  'laravel.env': {
    variables: {
      APP_NAME: 'My Shop',
      APP_ENV: 'local',
      APP_KEY: 'base64:xV3c0Qm4Jp2bT7yN1sK8uZ5wR6eL9aGhDfOiYtUjMkE=',
      APP_DEBUG: 'true',
      APP_URL: 'http://localhost',
      DB_CONNECTION: 'mysql',
      DB_PASSWORD: 's3cret#2026',
      REDIS_PASSWORD: 'null',
      MAIL_FROM_NAME: '${APP_NAME}',
      AWS_BUCKET: '',
    },
    notes: ['The value of MAIL_FROM_NAME contains ${…}, which is not replaced.'],
  },
  'docker_compose.env': {
    variables: {
      POSTGRES_PASSWORD: 'pa$$w#rd',
      COLOUR: '#ff8800',
      EMPTY: '',
      QUOTED: 'a # b',
      SINGLE: "Let's go: $HOME #1",
      TABS: 'a\tb\\c "d" $e',
    },
  },
  'notepad.env': {
    variables: {
      PORT: '3000',
      JWT: 'abc#def==',
      PRIVATE_KEY: '-----BEGIN KEY-----\nMIIB#0\n-----END KEY-----',
      LAST: 'no line end',
    },
  },
  'byte_order_mark.env': { variables: { API_KEY: 'k#1' } },
  'shell.env': {
    variables: {
      AWS_REGION: 'us-east-1',
      NAME: 'two words',
      INDENTED: 'spaced value',
      URL: 'postgres://u:p%40ss@h:5432/db?sslmode=require#frag',
      WINDOWS: 'C:\\sites\\',
      JSON: '{"a":"#b","c":[1,2]}',
      BACKTICK: 'it\'s "quoted"',
    },
  },
  'next.env': {
    variables: {
      NEXT_PUBLIC_KEY: 'pk_test_1',
      ESCAPED_KEY: '-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n',
      APOSTROPHE: "it's",
      TWICE: '2',
    },
    notes: ['TWICE is in lines 4 and 5. The last value was saved.'],
  },
  'broken.env': {
    error:
      'Line 2: this is not of the form NAME=value. Line 3: this is not of the form NAME=value. ' +
      'Line 4: text follows the closing ". Write the whole value in quotes. ' +
      'Line 6: this is not of the form NAME=value.',
  },
  'many_broken.env': {
    error: `${[1, 2, 3, 4, 5].map((line) => `Line ${line}: this is not of the form NAME=value.`).join(' ')} 2 more lines have problems.`,
  },
  'reserved.env': {
    error:
      'Line 3: PATH is set by the server instance. Choose another name. ' +
      'Line 4: Use letters, digits and underscores, and do not start with a digit.',
  },
}

function parse(text: string) {
  try {
    const { variables, notes } = parseDotenv(text, {}, { replace: false })
    return {
      variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
      notes,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { error: error.errors!.dotenv[0] }
  }
}

test.group('A pasted .env file', () => {
  test('in the manner of {$self}')
    .with(Object.keys(outcomes))
    .run(async ({ assert }, name) => {
      const text = await readFile(`tests/corpus/env/${name}`, 'utf8')
      const outcome = outcomes[name]
      const expected = 'error' in outcome ? outcome : { ...outcome, notes: outcome.notes ?? [] }
      assert.deepEqual(parse(text), expected)
    })

  test('a quote that nothing ends is named at its line', ({ assert }) => {
    for (const quote of ['"', "'", '`']) {
      assert.deepEqual(parse(`A=1\nB=${quote}x\nC=2`), {
        error: `Line 2: the value begins with ${quote}, and no other ${quote} ends it.`,
      })
    }
  })
})

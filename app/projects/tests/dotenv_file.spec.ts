import { AppError } from '#core/app_error'
import { parseDotenv } from '#projects/validators/environment'
import { test } from '@japa/runner'
import { readdir, readFile } from 'node:fs/promises'
import { startCpuTimer } from '#tests/support/cpu_timer'

/** Expected result by file of `tests/corpus/env`. */
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
  'bash_exports.env': {
    variables: {
      APP_ENV: 'production',
      DB_PASSWORD: 'pa$$ "w" `x`',
      RELEASE: '2026.11',
      REGION: 'bd',
    },
  },
  'command_prompt.env': {
    variables: { NODE_ENV: 'production', DB_PASSWORD: 'a&b=c d', PORT: '3000' },
  },
  'compose_list.env': {
    variables: {
      MYSQL_DATABASE: 'shop',
      MYSQL_PASSWORD: 's3cret#1',
      TZ: 'Asia/Dhaka',
      GREETING: 'it is "here"',
    },
    notes: ['Skipped lines that set no variable: line 1 (environment:).'],
  },
  'compose_escapes.env': {
    variables: {
      GREETING: 'say "hi"\nü A',
      FOLDER: 'C:\\sites\\',
      APOSTROPHE: "it's C:\\new",
      PRICE: '5$$',
      PLAIN: 'C:\\new',
      KEY: '-----BEGIN KEY-----\nMIIB\n-----END KEY-----',
      TITLE: "Ana's shop",
      LONG: 'first second',
    },
    notes: [
      'The value of PRICE contains $$, which Docker Compose reads as $.',
      'Skipped lines that set no variable: line 1 (environment:), line 7 (environment:).',
    ],
  },
  'compose_unknown_escapes.env': {
    error:
      'Line 2: YAML has no escape \\s. Write \\\\ for a backslash. ' +
      'Line 3: YAML has no escape \\d. Write \\\\ for a backslash. ' +
      'Line 5: YAML has no escape \\q. Write \\\\ for a backslash.',
  },
  'compose_map.env': {
    variables: { MYSQL_DATABASE: 'shop', MYSQL_PASSWORD: 's3cret#1', TZ: 'Asia/Dhaka' },
    notes: ['Skipped lines that set no variable: line 1 (environment:).'],
  },
  'compose_file.env': {
    variables: { APP_URL: 'https://shop.example.com', DB_PASSWORD: 's3cret#1' },
    notes: [
      'Skipped lines that set no variable: line 7 (environment:).',
      'Ignored keys outside environment: version, image, restart, ports, healthcheck and 3 more.',
    ],
  },
  'compose_file_list.env': {
    variables: { APP_URL: 'https://shop.example.com', DB_PASSWORD: 's3cret#1' },
    notes: [
      'Skipped lines that set no variable: line 4 (environment:).',
      'Ignored keys outside environment: build, volumes.',
    ],
  },
  'compose_anchors.env': {
    variables: {
      APP_ENV: 'production',
      VERSION: '1.10',
      KEY: '-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n',
      TITLE: 'Tea and coffee',
      LOG_LEVEL: 'info',
    },
    notes: [
      'Skipped lines that set no variable: line 8 (environment:).',
      'Ignored keys outside environment: x-shared, image.',
    ],
  },
  'compose_flow.env': {
    variables: { APP_ENV: 'production', LIST: 'a,b', QUOTED: '"x"' },
    notes: [
      'The value of QUOTED is in quotation marks, which belong to the value. Write the quotation marks around the whole item instead.',
      'Skipped lines that set no variable: line 4 (environment:).',
      'Ignored keys outside environment: image.',
    ],
  },
  'compose_broken.env': {
    error:
      'Line 7: this is not YAML. Missing closing "quote. ' +
      'Line 4: this is not of the form NAME=value. Line 5: this is not of the form NAME=value.',
  },
  'compose_file_services.env': {
    error: 'Several services have an environment: web, db. Paste the lines of one service.',
  },
  'compose_line_breaks.env': {
    variables: {
      KEY: 'firstsecond third',
      ITEM: 'one two',
      FOLDER: 'C:\\ sites',
    },
    notes: ['Skipped lines that set no variable: line 1 (environment:), line 7 (environment:).'],
  },
  'direnv.env': {
    variables: {
      FLASK_APP: 'shop.wsgi',
      DATABASE_URL: 'postgres://localhost/shop',
      REDIS_URL: 'redis://localhost:6379/0',
      REDIS_POOL: '5',
    },
    notes: [
      'Skipped lines that set no variable: line 2 (source_up), line 3 (dotenv_if_exists), line 4 (use), line 5 (layout), line 6 (PATH_add).',
    ],
  },
  'dockerfile.env': {
    variables: { NODE_ENV: 'production', PORT: '8080 HOST=0.0.0.0', GREETING: 'hello there' },
    notes: [
      'The value of PORT contains “HOST=”. If that is a variable, write it in a line of its own.',
    ],
  },
  'fly_secrets.env': {
    variables: { KEY: '-----BEGIN KEY-----\nMIIB "0"\n-----END KEY-----', NAME: 'value' },
  },
  'heroku_config.env': {
    variables: {
      DATABASE_URL: 'postgres://u:p@ec2-1-2-3-4.example.com:5432/d1',
      LANG: 'en_US.UTF-8',
      RACK_ENV: 'production',
      SECRET_KEY_BASE: '3f#9:a b',
    },
    notes: ['Skipped lines that set no variable: line 1 (===).'],
  },
  'heroku_json.env': {
    variables: {
      DATABASE_URL: 'postgres://u:p@host:5432/d1',
      PRIVATE_KEY: '-----BEGIN KEY-----\nMIIB#0\n-----END KEY-----\n',
      WEB_CONCURRENCY: '2',
      DEBUG: 'false',
    },
  },
  'heroku_shell.env': {
    variables: {
      GREETING: 'it\'s "here"',
      LANG: 'en_US.UTF-8',
      MAIL_FROM: 'Shop <shop@example.com>',
    },
  },
  'kubernetes_list.env': {
    error:
      'Line 2: this is not of the form NAME=value. Line 4: this is not of the form NAME=value.',
  },
  'powershell.env': {
    variables: {
      API_URL: 'https://api.example.com/v1',
      API_KEY: 'k#1;2',
      RETRIES: '3',
      DB_PASSWORD: 'pa\\nss',
      FOLDER: 'C:\\sites\\',
      MOUNT: "D:\\it's\\",
    },
  },
  'powershell_escapes.env': {
    error:
      'Line 1: the value contains `, which PowerShell replaces. Write the value in single quotes.',
  },
  'dockerfile_continued.env': {
    error: 'Line 1 continues on the next line. Write each variable in its own line.',
  },
  'bash_escapes.env': {
    error:
      "Line 1: the value begins with $', which only shells interpret. Write the value in double quotes. " +
      'Line 2: the value begins with $", which only shells interpret. Write the value in double quotes. ' +
      'Line 3 continues on the next line. Write each variable in its own line.',
  },
  'compose_references.env': {
    variables: {
      DATABASE_URL: 'postgres://u:${DB_PASSWORD}@db',
      BUILD: '$(date)',
      DB_PASSWORD: 's3cret',
      CACHE_URL: 'redis://:$DB_PASSWORD@cache',
      LITERAL: '${DB_PASSWORD}',
    },
    notes: [
      'The value of DATABASE_URL contains ${…}, which is not replaced.',
      'The value of BUILD contains $(…), which is not run.',
      'The value of CACHE_URL contains $DB_PASSWORD, which is not replaced.',
    ],
  },
  'names_like_commands.env': {
    variables: {
      use_ssl: 'true',
      username: 'admin',
      user: 'root',
      layout_dir: 'x',
      use: 'y',
      layout: 'z',
      rem: '5',
      Rem: '6',
      REM: '7',
      DOTENV_KEY: 'dotenv://:key_1@dotenv.example',
    },
    notes: ['Skipped lines that set no variable: line 12 (dotenv).'],
  },
  'rails.env': {
    variables: {
      SECRET_KEY_BASE: '0f3a#9c',
      RAILS_MAX_THREADS: '5',
      RAILS_MASTER_KEY: 'a1b2c3',
      SMTP_PASSWORD: 'multi\nline # 2',
      HOST: 'shop.example.com',
    },
    notes: ['Skipped lines that set no variable: line 7 (production:).'],
  },
  'symfony.env': {
    variables: {
      APP_ENV: 'prod',
      APP_SECRET: '',
      APP_SHARE_DIR: 'var/share',
      DB_USER: 'app',
      DATABASE_URL:
        'postgresql://$DB_USER:!ChangeMe!@127.0.0.1:5432/app?serverVersion=16&charset=utf8',
      MESSENGER_TRANSPORT_DSN: 'doctrine://default?auto_setup=0',
      HOST_NAME: '$(hostname)',
      CACHE: '${CACHE_DIR:-/tmp}',
    },
    notes: [
      'The value of HOST_NAME contains $(…), which is not run.',
      'The value of CACHE contains ${…}, which is not replaced.',
      'The value of DATABASE_URL contains $DB_USER, which is not replaced.',
    ],
  },
  'vite.env': {
    variables: {
      VITE_APP_TITLE: 'My App',
      VITE_API: 'https://api.example.com/$VITE_VERSION',
      VITE_VERSION: 'v2',
      VITE_PRICE: '\\$100',
      VITE_PASSWORD: 'a$b$VITE',
    },
    notes: ['The value of VITE_API contains $VITE_VERSION, which is not replaced.'],
  },
  'word_quotes.env': {
    variables: { APP_NAME: '“My Shop”', APP_KEY: '‘abc’', MOTTO: '“tea”' },
    notes: ['APP_NAME', 'APP_KEY', 'MOTTO'].map(
      (name) =>
        `The value of ${name} is in typographic quotation marks, which belong to the value. Use " or ' instead.`
    ),
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
  test('each file of the corpus has an expected result', async ({ assert }) => {
    assert.sameMembers(await readdir('tests/corpus/env'), Object.keys(outcomes))
  })

  test('the file is read in the style of {$self}')
    .with(Object.keys(outcomes))
    .run(async ({ assert }, name) => {
      const text = await readFile(`tests/corpus/env/${name}`, 'utf8')
      const outcome = outcomes[name]
      const expected = 'error' in outcome ? outcome : { ...outcome, notes: outcome.notes ?? [] }
      assert.deepEqual(parse(text), expected)
    })

  test('variables that follow a pasted Compose file are kept', ({ assert }) => {
    const compose = 'services:\n  web:\n    environment:\n    - A=1\n    image: nginx\n'
    assert.deepEqual(parse(`${compose}B=2`).variables, { A: '1', B: '2' })
  })

  test('YAML aliases that multiply a value are rejected', ({ assert }) => {
    const names = [...'abcdefghi']
    const levels = names.map((name, at) => {
      const alias = at === 0 ? 'x' : `*${names[at - 1]}`
      return `x-${name}: &${name} [${Array.from({ length: 9 }, () => alias).join(', ')}]`
    })
    assert.match(
      parse([...levels, 'environment:', '  A: *i'].join('\n')).error!,
      /^Excessive alias count/
    )
    assert.match(parse('environment:\n  <<: *none').error!, /^Merge sources must be maps/)
  })

  test('an unclosed quote is reported with its line', ({ assert }) => {
    for (const quote of ['"', "'", '`']) {
      assert.deepEqual(parse(`A=1\nB=${quote}x\nC=2`), {
        error: `Line 2: the value begins with ${quote}, and no other ${quote} ends it.`,
      })
    }
  })

  test('text after a quoted value is an error, even if it looks like a comment of a batch file', ({
    assert,
  }) => {
    for (const rest of ['rem x', '::x', 'REM'])
      assert.deepEqual(parse(`A="abc"${rest}`), {
        error: 'Line 1: text follows the closing ". Write the whole value in quotes.',
      })
  })

  test('a long line takes linear time', ({ assert }) => {
    for (const line of [
      `declare -${'x'.repeat(100_000)}`,
      `export ${' '.repeat(100_000)}x`,
      `A='${"\\'".repeat(50_000)}`,
      `a:\n${' environment:\n  b c\n'.repeat(5_000)}`,
      `environment: &a\n  A: 1\n${'environment: *a\n'.repeat(8_000)}`,
      `environment:\n${'  A:\n'.repeat(20_000)}  B`,
      '['.repeat(100_000),
      `environment: ${'['.repeat(100_000)}`,
    ]) {
      const cpuMs = startCpuTimer()
      assert.property(parse(line), 'error')
      assert.isBelow(cpuMs(), 5_000)
    }
  })
})

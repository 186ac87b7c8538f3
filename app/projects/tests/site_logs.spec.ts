import { parseSiteLogs } from '#projects/machine/site_logs'
import { test } from '@japa/runner'

const NOW = '2026-11-28T13:05:00'
const ROOT = '/var/www/public_html/shop'

const apacheLine = (kind: string, text: string, time = '13:04:10') =>
  `[Sat Nov 28 ${time}.123456 2026] [${kind}] [pid 812:tid 140] [client 192.0.2.7:50412] ${text}`
const htaccess = (text: string) => apacheLine('core:alert', `${ROOT}/.htaccess: ${text}`)
const unknown = (command: string) =>
  htaccess(
    `Invalid command '${command}', perhaps misspelled or defined by a module not included in the server configuration`
  )
const php = (text: string, time?: string) =>
  apacheLine('proxy_fcgi:error', `AH01071: Got error 'PHP message: ${text}'`, time)

const parse = (errors: string[], access: string[] = [], offset = '+0000') =>
  parseSiteLogs([`${NOW}${offset}`, ...access, '', '--berth--', ...errors, ''].join('\n'))

/** Columns: a log line, the beginning of its explanation, the beginning of the advice. */
const knownErrors: [string, string, string][] = [
  [unknown('php_value'), `${ROOT}/.htaccess sets PHP options with php_value`, 'Remove these lines'],
  [unknown('php_flag'), `${ROOT}/.htaccess sets PHP options with php_flag`, 'Remove these lines'],
  [
    unknown('PHP_Admin_Value'),
    `${ROOT}/.htaccess sets PHP options with PHP_Admin_Value`,
    'Remove these lines',
  ],
  [unknown('SecRuleEngine'), `${ROOT}/.htaccess has the command SecRuleEngine`, 'Correct'],
  [
    htaccess('ServerName not allowed here'),
    `The web server does not accept ${ROOT}/.htaccess: ServerName not allowed here`,
    'Correct the line',
  ],
  [
    php(
      `PHP Fatal error:  Uncaught Error: Call to undefined function mb_go() in ${ROOT}/index.php:12\\nStack trace:\\n#0 {main}\\n  thrown in ${ROOT}/index.php on line 12`
    ),
    `PHP stopped in ${ROOT}/index.php, line 12: Uncaught Error: Call to undefined function mb_go()`,
    'Correct the file, then load the page again.',
  ],
  [
    php(
      `PHP Warning:  Undefined variable $a in ${ROOT}/a.php on line 2; PHP message: PHP Parse error:  syntax error, unexpected end of file in ${ROOT}/b.php on line 31`
    ),
    `PHP stopped in ${ROOT}/b.php, line 31: syntax error, unexpected end of file`,
    'Correct the file, then load the page again.',
  ],
  [
    php(
      `PHP Fatal error:  Allowed memory size of 268435456 bytes exhausted (tried to allocate 20480 bytes) in ${ROOT}/a.php on line 3`
    ),
    `PHP stopped in ${ROOT}/a.php, line 3: Allowed memory size`,
    'Increase PHP Memory Limit',
  ],
  [
    php(
      `PHP Fatal error:  Maximum execution time of 60 seconds exceeded in ${ROOT}/my files/a.php on line 3`
    ),
    `PHP stopped in ${ROOT}/my files/a.php, line 3: Maximum execution time`,
    'Increase PHP Time Limit',
  ],
  [
    apacheLine(
      'proxy:error',
      '(111)Connection refused: AH00957: http: attempt to connect to 127.0.0.1:3000 (127.0.0.1:3000) failed'
    ),
    'The web server passes requests to 127.0.0.1:3000',
    'Start the app',
  ],
]

test.group('Projects | logs of a site', () => {
  test('{$i}: a known error is explained')
    .with(knownErrors)
    .run(({ assert }, [line, words, next]) => {
      const { errors, problem } = parse([line])
      assert.deepEqual(errors, [line])
      assert.deepEqual(problem?.lines, [line])
      assert.equal(problem?.words.slice(0, words.length), words)
      assert.equal(problem?.next.slice(0, next.length), next)
    })

  test('of several known errors, the newest of the last hour is explained', ({ assert }) => {
    const fatal = (time: string, file: string) =>
      php(`PHP Fatal error:  Out of paper in ${ROOT}/${file} on line 1`, time)
    const other = apacheLine('authz_core:error', 'AH01630: client denied by server configuration')
    const of = (lines: string[]) => parse(lines).problem?.words
    assert.isUndefined(of([]))
    assert.isUndefined(of([other]))
    assert.isUndefined(of([fatal('12:04:59', 'old.php')]))
    assert.include(of([fatal('12:05:01', 'a.php'), fatal('13:00:00', 'b.php'), other]), '/b.php')
    assert.isUndefined(of(['PHP Fatal error:  without a time in /a.php on line 1']))
  })

  test('request lines that imitate the divider stay in the access log', ({ assert }) => {
    const request =
      '192.0.2.7 - - [28/Nov/2026:13:04:10 +0000] "GET /--berth-- HTTP/1.1" 200 1 "-" "'
    const { access, errors } = parse(['one', '--berth--', '\u001b[31mtwo'], [`${request}x"`])
    assert.deepEqual(access, [`${request}x"`])
    assert.deepEqual(errors, ['one', '--berth--', 'two'])
    assert.lengthOf(parse([], [request + 'x'.repeat(9_000)]).access[0]!, 2_000)
  })

  test('the response contains the UTC offset of the instance’s clock', ({ assert }) => {
    const offsets = ['+0000', '+0530', '-0330', '', '+no'].map(
      (offset) => parse([], [], offset).utc_offset
    )
    assert.deepEqual(offsets, [0, 330, -210, 0, 0])
  })
})

import { execFileSync } from 'node:child_process'
import { test } from '@japa/runner'
import { quoteForShell } from '../main.js'

const ODD_ARGUMENTS = [
  'plain',
  '',
  ' two  spaces ',
  "it's",
  '"double"',
  'line\nbreak\n',
  '-n',
  '--',
  '$(id) `id` ${HOME}',
  'a;b|c&d>e<f',
  '*?[a]~#!',
  '\\back\\slash\\',
  'ünïcødé ৳ 日本',
  'tab\tbell\u0007',
  '=',
  '{a,b}',
]

test.group('Quoting of commands', () => {
  test('every unusual but legal argument arrives unchanged', ({ assert }) => {
    const line = quoteForShell(['printf', '%s\\0', ...ODD_ARGUMENTS])
    for (const shell of ['sh', 'bash']) {
      const output = execFileSync(shell, ['-c', line]).toString()
      assert.deepEqual(output.split('\0').slice(0, -1), ODD_ARGUMENTS)
    }
  })

  test('arguments without special characters stay unquoted', ({ assert }) => {
    assert.equal(
      quoteForShell(['git', 'log', '--max-count=5', './a b']),
      "git log --max-count=5 './a b'"
    )
  })

  test('a program name is never interpreted as an assignment', ({ assert }) => {
    assert.equal(quoteForShell(['A=b', 'c=d']), "'A=b' c=d")
  })

  test('an argument that no command line can contain throws TypeError', ({ assert }) => {
    assert.throws(() => quoteForShell([]), 'A command needs a program to run')
    assert.throws(() => quoteForShell(['']), 'A command needs a program to run')
    assert.throws(
      () => quoteForShell(['echo', 'a\0b']),
      'A command argument cannot contain a NUL byte'
    )
  })
})

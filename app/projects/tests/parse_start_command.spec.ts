import { launchArgv, parseCommand } from '#projects/pm2/command'
import { test } from '@japa/runner'

/** Each row: a command, and its arguments for port 8000. Null: the command is rejected. */
const commands: [string, string[] | null][] = [
  ['.venv/bin/gunicorn app:app', ['.venv/bin/gunicorn', 'app:app']],
  ['.venv/bin/gunicorn "app:create_app()"', ['.venv/bin/gunicorn', 'app:create_app()']],
  [
    'python3 manage.py runserver 0.0.0.0:$PORT',
    ['python3', 'manage.py', 'runserver', '0.0.0.0:8000'],
  ],
  ['./server --port=${PORT} --name="two words"', ['./server', '--port=8000', '--name=two words']],
  [`ruby -e 'puts 1 | 2'`, ['ruby', '-e', 'puts 1 | 2']],
  ['all', ['all']],
  ['', null],
  ['a | b', null],
  ['a && b', null],
  ['a; b', null],
  ['a > b', null],
  ['a & b', null],
  ['a `b`', null],
  ['a $(b)', null],
  ['a "$(b)"', null],
  ['a $HOME', null],
  ['a *.py', null],
  ['a # b', null],
  [`a 'b`, null],
  ['a "b', null],
  ['a\nb', null],
  ['A=1 b', null],
  ['-S b', null],
  ['~/b', null],
  [`'' b`, null],
  [`a ${'b'.repeat(1_000)}`, null],
  [`a${' b'.repeat(63)}`, ['a', ...Array<string>(63).fill('b')]],
  [`a${' b'.repeat(64)}`, null],
]

test('a command becomes one program with its arguments, or is rejected', ({ assert }) => {
  for (const [line, expected] of commands) {
    const command = parseCommand(line)
    const argv = command && launchArgv(command, 8000)
    assert.deepEqual(argv, expected && ['/usr/bin/env', ...expected], line)
  }
})

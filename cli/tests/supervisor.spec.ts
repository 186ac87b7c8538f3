import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { typescriptLoaderArgs, installRoot } from '../paths.js'
import { Supervisor, type ProcessSpec } from '../supervisor.js'
import { isRunning, pollUntil } from './poll_until.js'

const program = (code: string): Pick<ProcessSpec, 'argv' | 'env' | 'cwd'> => ({
  argv: [process.execPath, '-e', code],
  env: { PATH: process.env.PATH },
  cwd: tmpdir(),
})

test.group('supervisor', (group) => {
  let logs: string
  let lines: string[]
  let supervisor: Supervisor

  group.each.setup(async () => {
    logs = await mkdtemp(join(tmpdir(), 'berth-logs-'))
    lines = []
    supervisor = new Supervisor({
      logs,
      report: (line) => lines.push(line),
      backoff: { first: 10, max: 40 },
      stopTimeoutMs: 500,
    })
    return async () => {
      await supervisor.stop()
      await rm(logs, { recursive: true, force: true })
    }
  })

  test('a process that died is restarted', async ({ assert }) => {
    await supervisor.start({ name: 'web', ...program('setInterval(() => {}, 1000)') })
    const first = await pollUntil(() => supervisor.pids.web)
    process.kill(first, 'SIGKILL')
    const second = await pollUntil(() => supervisor.pids.web !== first && supervisor.pids.web)
    assert.notEqual(second, first)
    assert.match(lines[0], /^web ended by SIGKILL; starting it again in/)
  })

  test('a crash loop is reported, and the delay between restarts grows', async ({ assert }) => {
    await supervisor.start({ name: 'mail', ...program('console.log("no"); process.exit(3)') })
    await pollUntil(() => lines.some((line) => line.includes('crash loop')))
    assert.match(lines[2], /mail is in a crash loop: it ended with code 3, 3 times in a row/)
    await pollUntil(() => lines.length >= 5)
    assert.include(await readFile(join(logs, 'mail.log'), 'utf8'), 'no\n')
  })

  test('120 MB of output without a line break become one truncated line in the log', async ({
    assert,
  }) => {
    const flood = `const part = Buffer.alloc(1 << 20, 120)
      let left = 120
      const more = () => { while (left-- > 0) if (!process.stdout.write(part)) return process.stdout.once('drain', more)
        process.stdout.write('\\nafter\\n') }
      more(); setInterval(() => {}, 1000)`
    await supervisor.start({ name: 'web', ...program(flood) })
    const log = () => readFileSync(join(logs, 'web.log'), 'utf8')
    await pollUntil(() => existsSync(join(logs, 'web.log')) && log().endsWith('\nafter\n'))
    assert.match(log(), /^x+…\nafter\n$/)
    assert.isBelow(log().length, 100_000)
    assert.lengthOf(lines, 0)
  })

  test('`stop` ends all processes with their child processes, even a process that ignores SIGTERM', async ({
    assert,
  }) => {
    const stubborn = `
      process.on('SIGTERM', () => {})
      const child = require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' })
      require('node:fs').writeFileSync(process.env.CHILD_FILE, String(child.pid))
      setInterval(() => {}, 1000)`
    const file = join(logs, 'child.pid')
    const role = program(stubborn)
    await supervisor.start({ name: 'worker', ...role, env: { ...role.env, CHILD_FILE: file } })
    await supervisor.start({ name: 'vault', ...program('setInterval(() => {}, 1000)') })
    const child = await pollUntil(() => existsSync(file) && Number(readFileSync(file, 'utf8')))
    const pids = [...Object.values(supervisor.pids), child]
    assert.lengthOf(pids, 3)
    await supervisor.stop()
    await pollUntil(() => !pids.some(isRunning))
  })

  test('after a second process of a role has started, the first one can exit without being restarted', async ({
    assert,
  }) => {
    const leaves = `process.on('SIGUSR2', () => process.exit(86)); setInterval(() => {}, 1000)`
    const first = await supervisor.start({ name: 'web', ...program(`console.log(1);${leaves}`) })
    await pollUntil(async () => (await supervisor.words(first)).length)
    const second = await supervisor.start({ name: 'web', ...program(`console.log(2);${leaves}`) })
    await pollUntil(async () => (await supervisor.words(second)).length)
    assert.lengthOf(await supervisor.list(), 2)
    await supervisor.leave(first)
    await pollUntil(async () => !(await supervisor.list()).find(({ id }) => id === first)?.pid)
    await supervisor.end(first)
    const [left, ...others] = await supervisor.list()
    assert.isEmpty(others)
    assert.containsSubset(left, { id: second, name: 'web', deaths: 0, leaving: false })
    assert.isTrue(isRunning(left.pid!))
    assert.deepEqual(await supervisor.words(second), ['2'])
    assert.isEmpty(lines)
  })

  // After the supervisor was killed, nobody reads the role's output. The second role still writes while it stops.
  for (const [which, role] of Object.entries({
    '': `console.log('ready'); setInterval(() => {}, 1000)`,
    ' while a role still writes output': `
      const log = require('@adonisjs/core/logger').destination({ dest: 1, sync: false })
      process.once('SIGTERM', () => { log.write('one'); log.write('two'); process.exit() })
      console.log('ready')
      setInterval(() => {}, 1000)`,
  })) {
    test(`no process is left after the supervisor itself was killed${which}`, async () => {
      const source = join(import.meta.dirname, '../supervisor.ts')
      const options = {
        name: 'web',
        argv: [process.execPath, '-e', role],
        env: {},
        cwd: installRoot,
      }
      const code = `
        import { Supervisor } from ${JSON.stringify(source)}
        const supervisor = new Supervisor({ logs: ${JSON.stringify(logs)}, report: () => {} })
        await supervisor.start(${JSON.stringify(options)})
        console.log(supervisor.pids.web)
        setInterval(() => {}, 1000)`
      const parent = spawn(
        process.execPath,
        [...typescriptLoaderArgs, '--input-type=module', '-e', code],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        }
      )
      let output = ''
      parent.stdout.on('data', (chunk) => (output += chunk))
      const pid = await pollUntil(() => Number(output))
      const log = join(logs, 'web.log')
      await pollUntil(() => existsSync(log) && readFileSync(log, 'utf8').includes('ready'))
      parent.kill('SIGKILL')
      await pollUntil(() => !isRunning(pid))
    })
  }
})

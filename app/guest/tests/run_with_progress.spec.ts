import type { Machine } from '#packages/machine/main'
import { runWithProgress, tailFiles } from '#guest/machine/run_with_progress'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { type ChildProcess, spawn } from 'node:child_process'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

/** Returns a fake machine that runs this Node.js program instead of every command. */
function machineWith(program: string): { machine: Machine; children: ChildProcess[] } {
  const children: ChildProcess[] = []
  const machine = {
    async spawn() {
      const child = spawn(process.execPath, ['-e', program], { stdio: 'pipe' })
      children.push(child)
      return {
        stdin: child.stdin,
        stdout: child.stdout,
        stderr: child.stderr,
        exit: new Promise((resolve) => child.once('close', (code) => resolve({ code }))),
        kill: async () => void child.kill('SIGKILL'),
      }
    },
  }
  return { machine: machine as unknown as Machine, children }
}

/** Returns a fake machine. Each command prints this stream, and by default never exits. */
function machineOf(
  stdout: Readable,
  exit: Promise<{ code: number | null }> = new Promise(() => {})
): { machine: Machine } {
  const process = {
    stdin: new PassThrough(),
    stdout,
    stderr: Readable.from([]),
    exit,
    kill: async () => void stdout.destroy(),
  }
  return { machine: { spawn: async () => process } as unknown as Machine }
}

const writer = (rest: string) => `
  const write = (text) => new Promise((done) => process.stdout.write(text) ? done() : process.stdout.once('drain', done))
  void (async () => { ${rest} })()`

test.group('Long command with progress', () => {
  test('a command that is aborted while it starts ends', async ({ assert }) => {
    const { machine, children } = machineWith('setInterval(() => {}, 1000)')
    const asked = new AbortController()
    const spawn = machine.spawn.bind(machine)
    machine.spawn = async (...given: Parameters<typeof spawn>) => {
      const process = await spawn(...given)
      asked.abort()
      return process
    }
    const work = runWithProgress(machine, 'npm', ['npm', 'ci'], {
      timeout: 60_000,
      signal: asked.signal,
      report: async () => {},
    })
    await assert.rejects(() => work)
    assert.isTrue(children[0].killed)
  })

  test('all lines are recorded, also those before a failure', async ({ assert }) => {
    const { machine } = machineWith(`
      for (let i = 0; i < 500; i++) console.log('line ' + i)
      process.exitCode = 1`)
    const recorded: string[] = []
    const work = runWithProgress(machine, 'npm ci failed', ['npm', 'ci'], {
      timeout: 60_000,
      signal: new AbortController().signal,
      report: async () => {},
      record: async (lines) => void recorded.push(...lines),
    })
    await assert.rejects(() => work)
    assert.deepEqual(
      recorded,
      Array.from({ length: 500 }, (_, index) => `line ${index}`)
    )
  })

  test('all lines of a hanging command are recorded, also the last ones before its timeout', async ({
    assert,
  }) => {
    const stdout = new PassThrough()
    const timedOut = Promise.withResolvers<never>()
    const events: string[] = []
    const work = runWithProgress(
      machineOf(stdout, timedOut.promise).machine,
      'npm',
      ['npm', 'ci'],
      {
        timeout: 60_000,
        signal: new AbortController().signal,
        report: async (line) => void events.push(`report ${line}`),
        record: async (lines) => void events.push(`record ${lines.join()}`),
      }
    )
    stdout.write('first\nsecond\n')
    const first = ['report second', 'record first,second']
    await eventually(() => assert.deepEqual(events, first))
    stdout.write('third\n')
    await eventually(() => assert.include(events, 'report third'))
    timedOut.reject(new Error('It took too long.'))
    await assert.rejects(() => work, 'It took too long.')
    assert.deepEqual(events, first.concat('report third', 'record third'))
  })

  test('all lines of a cancelled command are recorded, but none after another worker took over', async ({
    assert,
  }) => {
    for (const isStopped of [false, true]) {
      const stdout = new PassThrough()
      const ended = Promise.withResolvers<{ code: number | null }>()
      const [cancelled, stopped] = [new AbortController(), new AbortController()]
      const reported: string[] = []
      const recorded: string[] = []
      const work = runWithProgress(machineOf(stdout, ended.promise).machine, 'npm', ['npm'], {
        timeout: 60_000,
        signal: AbortSignal.any([cancelled.signal, stopped.signal]),
        stopSignal: stopped.signal,
        report: async (line) => {
          reported.push(line)
          // Lines are recorded later than reported, so this one is not recorded yet.
          assert.isEmpty(recorded)
          ;(isStopped ? stopped : cancelled).abort()
          ended.resolve({ code: null })
        },
        record: async (lines) => void recorded.push(...lines),
      })
      stdout.end('last line\n')
      await assert.rejects(() => work)
      assert.deepEqual(reported, ['last line'])
      assert.deepEqual(recorded, isStopped ? [] : ['last line'])
    }
  })

  test('a failing recorder does not fail the command', async ({ assert }) => {
    const { machine } = machineWith(`console.log('line')`)
    let attempts = 0
    await runWithProgress(machine, 'npm', ['npm', 'ci'], {
      timeout: 60_000,
      signal: new AbortController().signal,
      report: async () => {},
      record: async () => {
        attempts += 1
        throw new Error('The database is away.')
      },
    })
    assert.equal(attempts, 1)
  })

  test('an error message begins with the failed build’s first error, though 100 lines follow it', async ({
    assert,
  }) => {
    const printed = [
      'npm warn deprecated a: throws an error',
      'dist/error-page.js 1 kB, 0 errors',
      'Error: Cannot find module "vite"',
      `Require stack: ${'x'.repeat(900)} end`,
    ]
    const { machine } = machineWith(`
      for (const line of ${JSON.stringify(printed)}) console.log(line)
      for (let i = 0; i < 100; i++) console.log('at line ' + i)
      process.exitCode = 1`)
    const work = runWithProgress(machine, 'npm run build failed', ['npm', 'run', 'build'], {
      timeout: 60_000,
      signal: new AbortController().signal,
      report: async () => {},
    })
    const lines = printed.slice(2).concat('at line 0', 'at line 1', '…')
    for (let index = 93; index < 100; index++) lines.push(`at line ${index}`)
    await assert.rejects(() => work, `npm run build failed: ${lines.join('\n')}`)
  })
})

test.group('Followed files', () => {
  test('a line of 120 MB without an end is truncated, and the next lines stay whole', async ({
    assert,
  }) => {
    const { machine } = machineWith(
      writer(
        `for (let i = 0; i < 120; i++) await write('x'.repeat(1 << 20)); await write('\\nafter\\n')`
      )
    )
    const seen: string[] = []
    let over = false
    await tailFiles(machine, ['out.log'], {
      lines: async (lines) => void seen.push(...lines),
      ended: () => (over = true),
    })
    await eventually(() => assert.isTrue(over && seen.includes('after')))
    assert.lengthOf(seen, 2)
    assert.equal(seen[0], `${'x'.repeat(4_000)}…`)
  })

  test('a slow reader pauses the follower on the instance instead of filling memory', async ({
    assert,
  }) => {
    let read = 0
    const flood = async function* () {
      for (;;) {
        await turn()
        read++
        yield 'a line of the flood\n'.repeat(5_000)
      }
    }
    const { machine } = machineOf(Readable.from(flood(), { objectMode: false }))
    const batches: string[][] = []
    let take = () => {}
    const stop = await tailFiles(machine, ['out.log'], {
      lines: (lines) => {
        batches.push(lines)
        return new Promise<void>((resolve) => (take = resolve))
      },
      ended: () => {},
    })
    await eventually(() => assert.lengthOf(batches, 1))
    const before = read
    for (let turns = 0; turns < 300; turns++) await turn()
    assert.isAtMost(read - before, 1, 'chunks read while a batch is being taken')
    // Ends the sending of the first batch, after which reading continues.
    take()
    await eventually(() => assert.lengthOf(batches, 2))
    assert.isAtMost(Math.max(...batches.map((lines) => lines.length)), 1_000)
    stop()
  })

  test('a stop ends the follower, even while a batch is being sent', async ({ assert }) => {
    const { machine, children } = machineWith(
      writer(`for (;;) await write('a line of the flood\\n'.repeat(5000))`)
    )
    let batches = 0
    const stop = await tailFiles(machine, ['out.log'], {
      lines: () => new Promise<void>(() => batches++),
      ended: () => {},
    })
    await eventually(() => assert.equal(batches, 1))
    stop()
    await eventually(() => assert.equal(children[0].signalCode, 'SIGKILL'))
  })
})

import type { Machine } from '#packages/machine/main'
import { followFiles } from '#guest/machine/follow'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { type ChildProcess, spawn } from 'node:child_process'

/** A machine on which every command is a program of ours, whatever was asked for. */
function machineWith(program: string): { machine: Machine; children: ChildProcess[] } {
  const children: ChildProcess[] = []
  const machine = {
    async spawn() {
      const child = spawn(process.execPath, ['-e', program], { stdio: 'pipe' })
      children.push(child)
      return {
        ...{ stdin: child.stdin, stdout: child.stdout, stderr: child.stderr },
        exit: new Promise((resolve) => child.once('close', (code) => resolve({ code }))),
        kill: async () => void child.kill('SIGKILL'),
      }
    },
  }
  return { machine: machine as unknown as Machine, children }
}

const writer = (rest: string) => `
  const write = (text) => new Promise((done) => process.stdout.write(text) ? done() : process.stdout.once('drain', done))
  void (async () => { ${rest} })()`

test.group('Files that are followed', () => {
  test('a line of 120 MB without an end is shown cut, and the next ones whole', async ({
    assert,
  }) => {
    const { machine } = machineWith(
      writer(
        `for (let i = 0; i < 120; i++) await write('x'.repeat(1 << 20)); await write('\\nafter\\n')`
      )
    )
    const seen: string[] = []
    let over = false
    await followFiles(machine, ['out.log'], {
      lines: async (lines) => void seen.push(...lines),
      ended: () => (over = true),
    })
    await eventually(() => assert.isTrue(over && seen.includes('after')))
    assert.lengthOf(seen, 2)
    assert.equal(seen[0], `${'x'.repeat(4_000)}…`)
  })

  test('a reader that takes nothing holds the machine back instead of filling memory', async ({
    assert,
  }) => {
    const { machine, children } = machineWith(
      writer(
        `for (;;) { await write('a line of the flood\\n'.repeat(5000)); process.stderr.write('.') }`
      )
    )
    let batches = 0
    const stop = await followFiles(machine, ['out.log'], {
      lines: () => new Promise<void>(() => batches++),
      ended: () => {},
    })
    await eventually(() => assert.equal(batches, 1))
    let written = 0
    children[0].stderr!.on('data', (dots: Buffer) => (written += dots.length))
    let before = -1
    await eventually(() => {
      const still = written === before
      before = written
      assert.isTrue(still, 'the program still writes')
    })
    assert.equal(batches, 1)
    assert.isBelow(children[0].stdout!.readableLength, 1024 * 1024)
    stop()
    await eventually(() => assert.isTrue(children[0].signalCode === 'SIGKILL'))
  })
})

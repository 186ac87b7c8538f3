import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { test } from '@japa/runner'
import { type Incus, removeContainer } from '#packages/incus/main'
import { contractTargets, uniqueName } from '#packages/incus/tests/targets'
import { IncusMachine, MachineError, quoteForShell, type IncusInstances } from '../main.js'
import { waitUntil, isRunning } from './sshd.js'

/** Runs commands on this machine, with the interface of Incus instances. */
class LocalInstances implements IncusInstances {
  pids: number[] = []

  async execStreams(_instance: string, [program, ...rest]: string[]) {
    const child = spawn(program, rest, { stdio: 'pipe' })
    this.pids.push(child.pid!)
    child.stdin.on('error', () => {})
    const { stdin, stdout, stderr } = child
    const kill = (signal: number) => void child.kill(signal)
    return { stdin, stdout, stderr, exit: exitOf(child), kill }
  }

  async shell(_instance: string, argv: string[], options: { env?: Record<string, string> }) {
    const child = spawn('script', ['-qefc', quoteForShell(argv), '/dev/null'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, ...options.env },
    })
    return {
      stream: Duplex.from({ writable: child.stdin, readable: child.stdout }),
      exit: exitOf(child),
      resize: () => {},
      close: () => {
        child.kill('SIGHUP')
      },
    }
  }
}

async function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  const [code, signal] = await once(child, 'close')
  return code ?? 128 + constants.signals[signal as NodeJS.Signals]
}

test.group('Machines through Incus', (group) => {
  let machine: IncusMachine
  let folder: string

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-incus-'))
    machine = new IncusMachine(new LocalInstances(), 'web-1')
    return async () => {
      await machine.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('the Incus client of this repository implements the interface', ({ assert }) => {
    const fits = (instances: Incus['instances']): IncusInstances => instances
    assert.isFunction(fits)
  })

  test('runs commands with variables, input, folder and limits', async ({ assert }) => {
    const script = 'cat; printf %s "$ODD"; pwd; echo err >&2; exit 4'
    const options = { env: { ODD: 'a\nb\\' }, cwd: '/usr', stdin: 'in ' }
    const result = await machine.exec(['sh', '-c', script], options)
    assert.deepInclude(result, { code: 4, signal: null })
    assert.equal(result.stdout.toString(), 'in a\nb\\/usr\n')
    assert.equal(result.stderr.toString(), 'err\n')
    const much = machine.exec(['yes'], { maxOutput: 10_000 })
    await assert.rejects(() => much, /more than 10000 bytes/)
  })

  test('a command that exceeds its timeout is killed with its child processes', async ({
    assert,
  }) => {
    const file = join(folder, 'pids')
    const late = machine.exec(['sh', '-c', 'sleep 1000 & echo $$ $! > "$1"; wait', 'sh', file], {
      timeout: 8_000,
    })
    await assert.rejects(() => late, /took longer than 8000 ms/)
    for (const pid of (await readFile(file, 'utf8')).trim().split(' ').map(Number)) {
      await waitUntil(`process ${pid} is gone`, async () => !(await isRunning(pid)))
    }
  })

  test('a terminal echoes and ends, and a closed machine rejects calls', async ({ assert }) => {
    const shell = await machine.shell({ cols: 80, rows: 24, argv: ['sh'], cwd: '/usr' })
    let text = ''
    shell.on('data', (chunk) => (text += chunk))
    await shell.write('pwd; echo ü$((40+2)); exit 5\n')
    assert.equal((await shell.exit).code, 5)
    assert.include(text, '/usr')
    assert.include(text, 'ü42')

    const open = await machine.shell({ cols: 80, rows: 24, argv: ['cat'] })
    const pending = assert.rejects(() => machine.exec(['sleep', '1000']), MachineError)
    await machine.close()
    await open.exit
    await pending
    await assert.rejects(() => machine.exec(['true']), /is closed/)
  })
})

for (const target of contractTargets.filter(({ name }) => name !== 'fake')) {
  test.group(`A hostile instance through Incus | ${target.name}`, (group) => {
    if (target.skip) {
      test('commands leave nothing on the host', () => {}).skip(true, target.skip)
      return
    }
    group.each.timeout(600_000)

    test('commands leave nothing on the host, even if the instance’s `sh` and `kill` are hostile', async ({
      assert,
      cleanup,
    }) => {
      const { incus, close } = await target.open()
      const { instances } = incus
      const name = uniqueName('hostile')
      cleanup(async () => {
        await removeContainer(incus, name)
        await close()
      })
      await (await instances.create({ name, image: 'berth-base', start: true })).wait(300)
      const stubborn = "#!/bin/bash\ntrap '' TERM HUP INT\nwhile :; do /usr/bin/sleep 1; done\n"
      for (const program of ['sh', 'kill']) {
        const path = `/usr/local/bin/${program}`
        await instances.pushFile(name, path, stubborn, { mode: '0755' })
      }
      const running = async () =>
        (await incus.operations()).filter(({ resources }) =>
          resources?.instances?.some((path) => path.endsWith(`/${name}`))
        ).length
      const hostile = new IncusMachine(instances, name)
      await assert.rejects(() => hostile.exec(['true'], { timeout: 1_000 }), /longer than 1000 ms/)
      await waitUntil('no operation runs', async () => (await running()) === 0)

      // A hostile `sh` prints a false process ID. Berth then calls `kill` in the instance, which is hostile too and
      // never exits.
      const claims = stubborn.replace('while', 'echo "$5 999999" >&2\nwhile').replace('$5', '$4')
      await instances.pushFile(name, '/usr/local/bin/sh', claims, { mode: '0755' })
      await assert.rejects(() => hostile.exec(['true'], { timeout: 1_000 }), /longer than 1000 ms/)
      await waitUntil('no operation runs', async () => (await running()) === 0)

      const shell = await hostile.shell({ cols: 80, rows: 24, argv: ['sh'] })
      shell.close()
      await waitUntil('no operation runs', async () => (await running()) === 0)
      await hostile.close()
    })
  })
}

import { test } from '@japa/runner'
import { SandboxMachine, SERVICE_SOCKET_PLACEHOLDER } from '#packages/machine/main'
import { eventually } from '#tests/support/eventually'
import { openTestSandboxSocket, type TestSandboxSocket } from '#tests/support/test_sandbox_launcher'
import { listenWithProgramPerConnection } from '../program_per_connection.js'
import { sandboxArgv, sandboxCommandFromSource } from '../sandbox_launcher.js'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test.group('Programs that parse files of customers', (group) => {
  if (process.getuid?.() !== 0) {
    test('run in a sandbox', () => {}).skip(true, 'needs root')
    return
  }

  let sandboxes: TestSandboxSocket
  let machine: SandboxMachine
  /** The only service to which programs in the sandbox can connect. */
  const service = createServer((socket) => socket.end('the service'))

  group.each.timeout(600_000)
  group.setup(async () => {
    sandboxes = (await openTestSandboxSocket())!
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
    const { port } = service.address() as AddressInfo
    const connect = () => createConnection({ host: '127.0.0.1', port })
    machine = new SandboxMachine({ ...sandboxes, launchSocket: sandboxes.socketPath, connect })
    return async () => {
      await machine.close()
      service.close()
      await sandboxes.close()
    }
  })

  const sh = async (script: string, options: Parameters<SandboxMachine['exec']>[1] = {}) => {
    const { code, signal, stdout, stderr } = await machine.exec(['sh', '-c', script], options)
    return { code, signal, out: stdout.toString().trim(), words: stderr.toString().trim() }
  }

  test('run as their own user, without groups and privileges', async ({ assert }) => {
    const { out } = await sh(
      'id -u; id -G; grep -E "^(Cap(Prm|Bnd|Amb)|NoNewPrivs)" /proc/self/status'
    )
    const [uid, groups, ...status] = out.split('\n')
    assert.isAbove(Number(uid), 2_100_000_000)
    assert.equal(groups, uid)
    // Each sandbox gets a user ID that no other running sandbox has. The kernel limits processes per user.
    assert.notEqual((await sh('id -u')).out, uid)
    const values = status.map((line) => line.split(/\s+/))
    assert.deepEqual(values, [
      ['CapPrm:', '0000000000000000'],
      ['CapBnd:', '0000000000000000'],
      ['CapAmb:', '0000000000000000'],
      ['NoNewPrivs:', '1'],
    ])
  })

  test('see neither other processes nor secrets of their parent, and can read only world-readable files', async ({
    assert,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-secret-'))
    const file = join(folder, 'secret')
    await chmod(folder, 0o711)
    await writeFile(file, 'known to the worker', { mode: 0o600 })
    try {
      const { out, words } = await sh(
        `cat ${file}; ls /proc | grep -cE '^[0-9]+$'; cat /proc/${process.pid}/environ; env | cut -d= -f1 | sort | tr '\\n' ' '`,
        { env: { GIVEN: 'x' } }
      )
      assert.notInclude(out, 'known to the worker')
      assert.include(words, 'Permission denied')
      const [count, names] = out.split('\n')
      assert.isBelow(Number(count), 8)
      assert.equal(names, 'GIVEN LANG PATH PWD')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('have no network, but can reach one service through its socket', async ({ assert }) => {
    const { port } = service.address() as AddressInfo
    const connect = (to: string) =>
      machine.exec([
        process.execPath,
        '-e',
        `require('net').connect(${to}).on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`,
      ])
    const outside = await connect(`{ host: '127.0.0.1', port: ${port} }`)
    assert.match(outside.stdout.toString(), /ECONNREFUSED|ENETUNREACH|EADDRNOTAVAIL/)
    const far = await connect(`{ host: '192.0.2.1', port: 80 }`)
    assert.match(far.stdout.toString(), /ENETUNREACH/)
    const inside = await connect(`'${SERVICE_SOCKET_PLACEHOLDER}'`)
    assert.equal(inside.stdout.toString().trim(), 'the service')
    const others = await sh(`ls ${sandboxes.sockets}; ls ${join(sandboxes.socketPath, '..')}`)
    assert.equal(others.out, '')
  })

  test('get all input, and return all output and the exit code', async ({ assert }) => {
    const bytes = Buffer.alloc(20 * 1024 ** 2, 'harbour ')
    const { stdout, code } = await machine.exec(['cat'], { stdin: bytes, maxOutput: 1024 ** 3 })
    assert.equal(code, 0)
    assert.isTrue(stdout.equals(bytes))
    assert.deepInclude(await sh('echo bad >&2; exit 7'), { code: 7, words: 'bad' })
    assert.equal((await machine.exec(['no-such-program'])).code, 127)
  })

  test('run in a limited number at a time, and a client above the limit gets an error message', async ({
    assert,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-door-'))
    const door = join(folder, 'socket')
    // A maximum of 2 sandboxes instead of 32, so that the test is fast.
    const argv = sandboxArgv(sandboxCommandFromSource, folder)
    await chmod(folder, 0o711)
    const close = await listenWithProgramPerConnection(door, argv, { PATH: process.env.PATH }, 2)
    const connect = () => createConnection({ host: '127.0.0.1', port: 1 })
    const few = new SandboxMachine({ launchSocket: door, sockets: sandboxes.sockets, connect })
    try {
      const open = await Promise.all([few.spawn(['cat']), few.spawn(['cat'])])
      await assert.rejects(() => few.exec(['true']), /maximum number of sandboxes/)
      for (const each of open) await each.kill()
      await eventually(async () => assert.equal((await few.exec(['true'])).code, 0))
    } finally {
      await few.close()
      await close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('are killed at their limits of memory, processes and time, and when the client disconnects', async ({
    assert,
  }) => {
    const hungry = await machine.exec([
      process.execPath,
      '-e',
      'const all = []; for (;;) all.push(Buffer.alloc(64 * 1024 ** 2, 1))',
    ])
    assert.notEqual(hungry.code, 0)
    const bomb = await sh(
      'i=0; while [ $i -lt 200 ]; do sleep 200 > /dev/null 2>&1 & i=$((i+1)); done; echo all',
      {
        timeout: 200_000,
      }
    )
    assert.notEqual(bomb.out, 'all')
    assert.match(bomb.words, /fork/i)
    await assert.rejects(() => sh('sleep 60', { timeout: 500 }), /took too long/)
    const left = await machine.spawn(['sh', '-c', 'sleep 61 & sleep 61'])
    await left.kill()
    assert.equal((await left.exit).signal, 'SIGKILL')
    // After all of these programs, a new sandbox must still start.
    assert.equal((await sh('echo on')).out, 'on')
  })
})

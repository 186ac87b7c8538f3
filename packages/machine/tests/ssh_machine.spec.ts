import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { test } from '@japa/runner'
import {
  isNativeCryptoLoaded,
  connectSsh,
  generateKeyPair,
  MachineError,
  MachinePool,
  scanHostKey,
  type MachineErrorKind,
  type SshMachine,
} from '../main.js'
import { waitUntil, isRunning, startSshd, type TestSshd } from './sshd.js'

async function kindOf(promise: Promise<unknown>): Promise<MachineErrorKind | 'no error'> {
  try {
    await promise
    return 'no error'
  } catch (error) {
    if (error instanceof MachineError) return error.kind
    throw error
  }
}

test.group('Commands over SSH', (group) => {
  let sshd: TestSshd
  let machine: SshMachine

  group.setup(async () => {
    sshd = await startSshd()
    machine = await connectSsh(sshd.target)
    return async () => {
      await machine.close()
      await sshd.stop()
    }
  })

  test('a command returns exit code, signal, stdout and stderr', async ({ assert }) => {
    const failed = await machine.exec(['sh', '-c', 'echo out; echo err >&2; exit 3'])
    assert.deepInclude(failed, { code: 3, signal: null })
    assert.equal(failed.stdout.toString(), 'out\n')
    assert.equal(failed.stderr.toString(), 'err\n')
    const killed = await machine.exec(['sh', '-c', 'kill -TERM $$'])
    assert.deepInclude(killed, { code: null, signal: 'SIGTERM' })
    assert.equal((await machine.exec(['berth-no-such-program'])).code, 127)
  })

  test('unusual but legal arguments arrive unchanged', async ({ assert }) => {
    const odd = ["it's", '$(id)', '-x', '', 'two\nlines', 'ünï ৳', '`id`;id|id', '"']
    const { stdout } = await machine.exec(['printf', '%s\\0', ...odd])
    assert.deepEqual(stdout.toString().split('\0').slice(0, -1), odd)
  })

  test('standard input comes from text, bytes or a stream', async ({ assert }) => {
    const bytes = Buffer.alloc(5_000_000, 'berth ')
    for (const stdin of [
      bytes,
      bytes.toString(),
      Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]),
    ]) {
      const { stdout } = await machine.exec(['cat'], { stdin })
      assert.isTrue(stdout.equals(bytes))
    }
    const early = await machine.exec(['true'], { stdin: Readable.from([bytes, bytes, bytes]) })
    assert.equal(early.code, 0)
  })

  test('variables and the working folder are set, and the process list shows no value of a variable', async ({
    assert,
  }) => {
    const env = { BERTH_ODD: 'a\\b\n$(id) \'"\n', BERTH_SECRET: 'correct-horse-battery' }
    const script = 'printf "%s\\0" "$BERTH_ODD" "$BERTH_SECRET" "$PWD"; cat; ps -eo args'
    const { stdout } = await machine.exec(['sh', '-c', script], { env, cwd: '/usr', stdin: 'in\0' })
    const [odd, secret, folder, input, list] = stdout.toString().split('\0')
    assert.deepEqual([odd, secret, folder, input], [env.BERTH_ODD, env.BERTH_SECRET, '/usr', 'in'])
    assert.notInclude(list, 'correct-horse')
    const missing = await machine.exec(['pwd'], { cwd: '/no/such/folder' })
    assert.equal(missing.code, 125)
    await assert.rejects(() => machine.exec(['true'], { env: { 'A-B': '1' } }), /environment/)
  })

  test('a command that exceeds its timeout is killed with its child processes', async ({
    assert,
  }) => {
    const file = `${sshd.folder}/pids`
    const script = 'sleep 1000 & echo $$ $! > "$1"; wait'
    const call = machine.exec(['sh', '-c', script, 'sh', file], { timeout: 8_000 })
    assert.equal(await kindOf(call), 'timeout')
    const pids = (await readFile(file, 'utf8')).trim().split(' ').map(Number)
    assert.lengthOf(pids, 2)
    for (const pid of pids) {
      await waitUntil(`process ${pid} is gone`, async () => !(await isRunning(pid)))
    }
  })

  test('a command with too much output is ended', async ({ assert }) => {
    assert.equal(await kindOf(machine.exec(['yes'], { maxOutput: 100_000 })), 'too-much-output')
  })

  test('a spawned command streams and can be killed', async ({ assert }) => {
    const process = await machine.spawn(['sh', '-c', 'echo ready; exec cat'])
    let output = ''
    process.stdout.on('data', (chunk) => (output += chunk))
    process.stderr.resume()
    await waitUntil('it is ready', () => output === 'ready\n')
    process.stdin.write('echo')
    await waitUntil('it echoes', () => output === 'ready\necho')
    await process.kill('SIGKILL')
    assert.deepEqual(await process.exit, { code: null, signal: 'SIGKILL' })
  })

  test('25 concurrent calls succeed, although one connection allows fewer', async ({ assert }) => {
    const all = await Promise.all(
      Array.from({ length: 25 }, (_, n) => machine.exec(['echo', String(n)]))
    )
    assert.deepEqual(
      all.map(({ stdout }) => Number(stdout)),
      Array.from({ length: 25 }, (_, n) => n)
    )
  })
})

test.group('SSH connections', (group) => {
  let sshd: TestSshd

  group.each.setup(async () => {
    sshd = await startSshd()
    return () => sshd.stop()
  })

  test('a scanned host key can be pinned, and a server with another key is rejected with a message', async ({
    assert,
  }) => {
    const scanned = await scanHostKey(sshd.target)
    assert.equal(`${scanned.type} ${scanned.key}`, sshd.target.hostKey.split(' ', 2).join(' '))
    for (const hostKey of [scanned.key, scanned.fingerprint, sshd.target.hostKey]) {
      await (await connectSsh({ ...sshd.target, hostKey })).close()
    }
    const other = generateKeyPair().publicKey
    const refused = connectSsh({ ...sshd.target, hostKey: other })
    await assert.rejects(() => refused, /shows a different SSH host key than the stored one/)
    assert.equal(await kindOf(connectSsh({ ...sshd.target, hostKey: other })), 'refused-host-key')
  })

  test('a rejected private key and an unreachable machine cause errors that say so', async ({
    assert,
  }) => {
    const { privateKey } = generateKeyPair()
    assert.equal(await kindOf(connectSsh({ ...sshd.target, privateKey })), 'refused-credentials')
    const nonsense = { ...sshd.target, privateKey: 'nonsense' }
    assert.equal(await kindOf(connectSsh(nonsense)), 'refused-credentials')
    await sshd.kill()
    assert.equal(await kindOf(connectSsh(sshd.target)), 'unreachable')
    assert.equal(await kindOf(scanHostKey(sshd.target)), 'unreachable')
  })

  test('callers share one connection, and after a loss their calls fail and the next call reconnects', async ({
    assert,
    cleanup,
  }) => {
    const pool = new MachinePool()
    cleanup(() => pool.close())
    const machine = pool.get(sshd.target)
    assert.strictEqual(pool.get({ ...sshd.target }), machine)
    await Promise.all([1, 2, 3].map(() => machine.exec(['true'])))
    assert.equal(machine.connections, 1)

    const pending = kindOf(machine.exec(['sleep', '1000']))
    const process = await machine.spawn(['cat'])
    await sshd.kill()
    assert.equal(await pending, 'unreachable')
    assert.equal(await kindOf(process.exit), 'unreachable')
    assert.equal(await kindOf(machine.exec(['true'])), 'unreachable')

    await sshd.start()
    assert.equal((await machine.exec(['true'])).code, 0)
  })

  test('an unused connection closes by itself, and a closed machine rejects calls', async ({
    assert,
  }) => {
    const machine = await connectSsh(sshd.target, 200)
    await machine.exec(['true'])
    await waitUntil('the connection is gone', () => machine.connections === 0)
    assert.equal((await machine.exec(['true'])).code, 0)
    const pending = kindOf(machine.exec(['sleep', '1000']))
    await waitUntil('the command runs', () => machine.connections === 1)
    await machine.close()
    assert.equal(await pending, 'closed')
    assert.equal(await kindOf(machine.exec(['true'])), 'closed')
  })

  test('further connections are opened to a server that allows few sessions per connection', async ({
    assert,
    cleanup,
  }) => {
    const few = await startSshd(['MaxSessions 2'])
    cleanup(() => few.stop())
    const machine = await connectSsh(few.target)
    cleanup(() => machine.close())
    const codes = await Promise.all(
      Array.from({ length: 6 }, async () => (await machine.exec(['true'])).code)
    )
    assert.deepEqual(codes, [0, 0, 0, 0, 0, 0])
  })

  test('the native cryptography of ssh2 is loaded', ({ assert }) => {
    assert.isTrue(isNativeCryptoLoaded())
  })
})

test.group('Terminals over SSH', (group) => {
  let sshd: TestSshd
  let machine: SshMachine

  group.setup(async () => {
    sshd = await startSshd()
    machine = await connectSsh(sshd.target)
    return async () => {
      await machine.close()
      await sshd.stop()
    }
  })

  const open = async (argv?: string[]) => {
    const shell = await machine.shell({ cols: 80, rows: 24, argv, cwd: '/usr' })
    const seen = { text: '' }
    shell.on('data', (chunk) => (seen.text += chunk))
    return { shell, seen }
  }

  test('a terminal echoes, has the requested size, supports Unicode and returns its exit code', async ({
    assert,
  }) => {
    const { shell, seen } = await open(['sh'])
    await shell.write('stty size; pwd; echo "ü৳"$((20+3))\n')
    await waitUntil('the first size shows', () => seen.text.includes('24 80'))
    await waitUntil('the text shows', () => seen.text.includes('ü৳23'))
    assert.include(seen.text, '/usr')
    shell.resize(132, 50)
    await shell.write('stty size; exit 7\n')
    assert.deepEqual(await shell.exit, { code: 7, signal: null })
    await waitUntil('the new size shows', () => seen.text.includes('50 132'))
  })

  test('the login shell starts', async () => {
    const shell = await machine.shell({ cols: 80, rows: 24 })
    let text = ''
    shell.on('data', (chunk) => (text += chunk))
    await shell.write('echo $((40+2))x; exit\n')
    await shell.exit
    await waitUntil('it has answered', () => text.includes('42x'))
  })

  test('while a terminal is paused, the machine’s program blocks and no output is lost', async ({
    assert,
  }) => {
    const { shell, seen } = await open(['sh', '-c', 'stty -onlcr; seq 1 300000; echo end'])
    await waitUntil('output comes', () => seen.text.length > 0)
    shell.pause()
    const before = seen.text.length
    const other = await machine.exec(['echo', 'alive'])
    assert.equal(other.stdout.toString(), 'alive\n')
    assert.equal(seen.text.length, before)
    shell.resume()
    await shell.exit
    const numbers = Array.from({ length: 300_000 }, (_, n) => n + 1)
    assert.isTrue(seen.text.replaceAll('\r', '') === `${numbers.join('\n')}\nend\n`)
  })

  test('closing a terminal sends SIGHUP to its programs', async () => {
    const { shell, seen } = await open(['sh', '-c', 'echo pid=$$; exec sleep 1000'])
    await waitUntil('it runs', () => /pid=\d+\r?\n/.test(seen.text))
    const pid = Number(/pid=(\d+)/.exec(seen.text)![1])
    shell.close()
    await shell.exit
    await waitUntil('the program is gone', async () => !(await isRunning(pid)))
  })
})

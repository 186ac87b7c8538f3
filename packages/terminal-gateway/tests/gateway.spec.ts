import { test } from '@japa/runner'
import { connectSsh, MachineError, type SshMachine } from '#packages/machine/main'
import { waitUntil, isRunning, startSshd, type TestSshd } from '#packages/machine/tests/sshd'
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type RedeemedTerminalGrant,
} from '../main.js'
import {
  CLOSE_CODE_BAD_FRAME,
  CLOSE_CODE_GATEWAY_STOPPING,
  CLOSE_CODE_ENDED,
  CLOSE_CODE_IDLE,
  CLOSE_CODE_MACHINE_LOST,
  CLOSE_CODE_NOTHING_TO_RESUME,
  CLOSE_CODE_REJECTED,
  CLOSE_CODE_TAKEN_OVER,
  CLOSE_CODE_TOO_MANY_TERMINALS,
  INITIAL_CREDIT_BYTES,
  MAX_FRAME_BYTES,
} from '../protocol.js'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TestClient } from './client.js'

interface Closed {
  id: string
  reason: string
  bytes: number
}

test.group('Terminal gateway', (group) => {
  let sshd: TestSshd
  let machine: SshMachine
  let opened: number
  let closed: Closed[]
  const gateways: Gateway[] = []
  const clients: TestClient[] = []

  group.each.setup(async () => {
    sshd = await startSshd()
    machine = await connectSsh(sshd.target)
    opened = 0
    closed = []
    return async () => {
      for (const client of clients.splice(0)) client.socket.terminate()
      for (const gateway of gateways.splice(0)) await gateway.close()
      await machine.close()
      await sshd.stop()
    }
  })

  /**
   * Starts a gateway that accepts all grants beginning with `good-`. The grant is also the terminal's ID in `closed`.
   * The shell is plain `sh`, which reads no profile.
   */
  async function serve(options: Partial<GatewayOptions> = {}) {
    const gateway = createGateway({
      allowedOrigins: (origin) => origin === 'https://berth.test',
      authenticate: async ({ headers }) => {
        const [, personId] = /person=(\w+)/.exec(headers.cookie ?? '') ?? []
        const [, sessionId = 'one'] = /session=(\w+)/.exec(headers.cookie ?? '') ?? []
        return personId ? { personId, sessionId } : null
      },
      redeem: async (grant, { personId }) => {
        if (!grant.startsWith('good-')) {
          return { refused: true, reason: 'This permission has been used or is too old' }
        }
        const session: RedeemedTerminalGrant = {
          id: grant,
          personId,
          machineId: 'm1',
          label: 'web-1',
          open: (size) => {
            opened++
            return machine.shell({ ...size, argv: ['sh'], env: { PS1: '# ' } })
          },
          onClosed: (reason, bytes) => {
            closed.push({ id: grant, reason, bytes })
          },
        }
        return session
      },
      onError: (error) => {
        throw error
      },
      ...options,
    })
    gateways.push(gateway)
    return { gateway, port: await gateway.listen(0, '127.0.0.1') }
  }

  async function connect(port: number, headers?: Record<string, string>) {
    const client = await TestClient.connect(port, headers)
    clients.push(client)
    return client
  }

  async function open(port: number, grant = 'good-1') {
    const client = await connect(port)
    client.signIn(grant)
    await waitUntil('the shell is ready', () => client.ready)
    return client
  }

  /** Replaces the shell by a program. Returns its process ID. */
  async function run(client: TestClient, program: string): Promise<number> {
    client.type(`echo pid=$(($$+0)).; exec ${program}\r`)
    await waitUntil('it runs', () => /pid=\d+\./.test(client.text))
    return Number(/pid=(\d+)\./.exec(client.text)![1])
  }

  /** Disconnects, and waits until the gateway has noticed that. */
  async function leave({ socket }: TestClient, port: number) {
    socket.terminate()
    // The gateway responds to this request only after it has handled the closed connection.
    await TestClient.refusal(port, { origin: 'https://evil.example' })
  }

  async function takeUp(port: number, token: string, headers?: Record<string, string>) {
    const client = await connect(port, headers)
    client.resume(token)
    await waitUntil('it is decided', () => client.ready || client.closeCode !== null)
    return client
  }

  test('rejects a foreign or missing Origin header, and a missing session', async ({ assert }) => {
    let redeemed = 0
    const { port } = await serve({
      redeem: async () => {
        redeemed++
        return { refused: true, reason: 'no' }
      },
    })
    const cookie = 'person=ann'
    const refusal = (headers: Record<string, string>) => TestClient.refusal(port, headers)
    assert.equal(await refusal({ origin: 'https://evil.example', cookie }), 403)
    assert.equal(await refusal({ cookie }), 403)
    assert.equal(await refusal({ origin: 'https://berth.test' }), 401)
    assert.equal(opened + redeemed, 0)
  })

  test('rejects an invalid grant with a message', async ({ assert }) => {
    const { port, gateway } = await serve()
    const client = await connect(port)
    client.signIn('bad')
    await waitUntil('it is closed', () => client.closeCode !== null)
    assert.equal(client.closedReason, 'This permission has been used or is too old')
    assert.equal(client.closeCode, CLOSE_CODE_REJECTED)
    assert.equal(opened, 0)
    await waitUntil('its place is free', () => gateway.size === 0)
  })

  test('a terminal echoes, resizes, and closes when its shell exits', async ({ assert }) => {
    const { port, gateway } = await serve()
    const client = await connect(port)
    client.signIn('good-1', { cols: 91, rows: 1_000_000 })
    client.type('stty size; echo "ü৳"$((40+2))\r')
    await waitUntil('the text shows', () => client.text.includes('ü৳42'))
    assert.include(client.text, '500 91')
    client.send({ type: 'resize', cols: 0, rows: 33.4 })
    client.type('stty size\r')
    await waitUntil('the new size shows', () => client.text.includes('33 2'))
    client.type('exit\r')
    await waitUntil('it is closed', () => client.closeCode !== null)
    assert.equal(client.closeCode, CLOSE_CODE_ENDED)
    assert.equal(client.closedReason, 'The session has ended')
    const { token } = client
    assert.deepEqual(client.messages[0], { type: 'ready', label: 'web-1', token, resumed: false })
    assert.lengthOf(Buffer.from(token, 'base64url'), 32)
    await waitUntil('nothing is left', () => gateway.size === 0)
    assert.deepEqual(closed, [
      { id: 'good-1', reason: 'The session has ended', bytes: client.bytes },
    ])
  })

  test('rejects invalid frames with a reason', async ({ assert }) => {
    const { port } = await serve()
    const cases: [string, (client: TestClient) => void][] = [
      ['A message was not JSON', (client) => client.socket.send('{')],
      ['A message was not a JSON object', (client) => client.socket.send('[]')],
      ['A message was of an unknown type', (client) => client.send({ type: 'exec' })],
      ['The first message was not the credentials', (client) => client.type('x')],
      [
        'A request to resume a terminal came without a token',
        (client) => client.send({ type: 'resume', cols: 80, rows: 24 }),
      ],
      [
        'A message was binary where text was expected',
        (client) => client.socket.send(Buffer.from('x')),
      ],
      [
        `A message was larger than ${MAX_FRAME_BYTES} bytes`,
        (client) => client.type('x'.repeat(MAX_FRAME_BYTES)),
      ],
      [
        'The credentials came without a grant',
        (client) => client.send({ type: 'credentials', cols: 80, rows: 24 }),
      ],
      [
        'A terminal size was not a number',
        (client) => client.send({ type: 'credentials', system_id: 'good-1', cols: 'x', rows: 24 }),
      ],
    ]
    for (const [reason, send] of cases) {
      const client = await connect(port)
      send(client)
      await waitUntil('it is closed', () => client.closeCode !== null)
      assert.equal(client.closedReason, reason)
      assert.equal(client.closeCode, CLOSE_CODE_BAD_FRAME)
    }
    assert.equal(opened, 0)
  })

  test('limits terminals per person and per machine, and closed ones no longer count', async ({
    assert,
  }) => {
    const { port, gateway } = await serve({ maxPerPerson: 2, maxPerMachine: 3 })
    const first = await open(port)
    await open(port, 'good-2')
    const third = await connect(port)
    third.signIn('good-3')
    await waitUntil('the third is closed', () => third.closeCode === CLOSE_CODE_TOO_MANY_TERMINALS)
    assert.match(third.closedReason!, /^You have too many terminals open/)

    const bob = { cookie: 'person=bob' }
    for (const grant of ['good-3', 'good-4']) {
      const client = await connect(port, bob)
      client.signIn(grant)
      await waitUntil('it is decided', () => client.ready || client.closeCode !== null)
      assert.equal(client.ready, grant === 'good-3')
    }
    first.send({ type: 'end' })
    await waitUntil('a place is free', () => gateway.size === 2)
    await open(port, 'good-5')
  })

  test('a browser that hangs during a flood of output uses limited memory, and other terminals keep working', async ({
    assert,
  }) => {
    const { port } = await serve({ pingInterval: 600_000 })
    const stalled = await open(port)
    stalled.acknowledging = null
    // Output of the prompt may already be acknowledged, so only later bytes are counted.
    const drawn = stalled.bytes
    stalled.type('yes 0123456789\r')
    await waitUntil('its credit is used up', () => stalled.bytes - drawn >= INITIAL_CREDIT_BYTES)
    const other = await open(port, 'good-2')
    for (let turn = 1; turn <= 20; turn++) {
      other.type(`echo $((${turn}+1000))\r`)
      await waitUntil('the other echoes', () => other.text.includes(String(1000 + turn)))
    }
    assert.isAtMost(stalled.bytes - drawn, INITIAL_CREDIT_BYTES)

    stalled.keep = 1000
    stalled.acknowledging = 'at once'
    stalled.acknowledge()
    await waitUntil('it goes on', () => stalled.bytes > 4 * INITIAL_CREDIT_BYTES)
    stalled.type('\u0003')
    stalled.type('echo $((3000+3))\r')
    await waitUntil('the flood has ended', () => stalled.text.includes('3003'))
  })

  test('after Ctrl-C on a slow connection, only little more output is sent', async ({ assert }) => {
    const { port } = await serve()
    const client = await open(port)
    client.acknowledging = null
    client.type("sh -c 'echo pid=$$; exec yes 0123456789'\r")
    await waitUntil('the flood runs', () => /pid=\d+\r\n/.test(client.text))
    const pid = Number(/pid=(\d+)\r\n/.exec(client.text)![1])
    client.keep = 1000
    // Simulates a browser that draws about 2 MB/s: it acknowledges 20 KB every 10 ms.
    const line = setInterval(() => client.send({ type: 'ack', bytes: 20_000 }), 10)
    await waitUntil('the line is busy', () => client.bytes > 3_000_000)
    clearInterval(line)
    client.type('\u0003')
    await waitUntil('the flood has ended', async () => !(await isRunning(pid)))
    const before = client.bytes
    client.type('echo $((3000+3))\r')
    client.acknowledging = 'at once'
    client.acknowledge()
    await waitUntil('what was under way has come', () => client.text.includes('3003'))
    // With a large window, several times as much would arrive: up to 2 MB.
    assert.isBelow(client.bytes - before, 1_000_000)
  })

  test('when the machine crashes, the terminal shows a message', async ({ assert }) => {
    const { port, gateway } = await serve()
    const client = await open(port)
    await sshd.kill()
    await waitUntil('it is closed', () => client.closeCode !== null)
    assert.match(client.closedReason ?? '', /^The connection to 127\.0\.0\.1:\d+ was lost$/)
    assert.equal(client.closeCode, CLOSE_CODE_MACHINE_LOST)
    const late = await connect(port)
    late.signIn('good-2')
    await waitUntil('nobody can come', () => late.closeCode === CLOSE_CODE_MACHINE_LOST)
    assert.match(late.closedReason ?? '', /cannot be reached$/)
    await waitUntil('nothing is left', () => gateway.size === 0)
    assert.lengthOf(closed, 2)
  })

  test('the shell ends when its page closes the terminal, or disconnects before the shell has started', async ({
    assert,
  }) => {
    const { port, gateway } = await serve()
    const client = await open(port)
    const pid = await run(client, 'sleep 1000')
    client.send({ type: 'end' })
    await waitUntil('the program is gone', async () => !(await isRunning(pid)))
    await waitUntil('it is told', () => client.closeCode === CLOSE_CODE_ENDED)
    assert.equal(closed[0].reason, 'The person closed the terminal')

    const hasty = await connect(port)
    hasty.signIn('good-2')
    hasty.socket.terminate()
    await waitUntil('nothing is left', () => gateway.size === 0)
  })

  test('a stopping gateway sends the reason, closes the shells and rejects new connections', async ({
    assert,
  }) => {
    const { port, gateway } = await serve()
    const client = await open(port)
    const pid = await run(client, 'sleep 1000')
    await gateway.drain('The platform is being updated')
    await waitUntil('it is closed', () => client.closeCode === CLOSE_CODE_GATEWAY_STOPPING)
    assert.equal(client.closedReason, 'The platform is being updated')
    assert.deepInclude(closed[0], { reason: 'The platform is being updated' })
    await waitUntil('the program is gone', async () => !(await isRunning(pid)))
    const headers = { origin: 'https://berth.test', cookie: 'person=ann' }
    assert.equal(await TestClient.refusal(port, headers), 503)
  })

  test('a gateway that is replaced warns people, waits for their programs, and closes the rest with the reason', async ({
    assert,
  }) => {
    const { port, gateway } = await serve()
    const [quick, slow] = [await open(port), await open(port)]
    const left = gateway.leave('It closes soon', 'It was upgraded', 10_000)
    await waitUntil('both are told', () =>
      [quick, slow].every(({ messages }) => messages.some(({ type }) => type === 'warning'))
    )
    quick.type('exit\r')
    await waitUntil('one ends by itself', () => quick.closedReason === 'The session has ended')
    assert.isNull(slow.closeCode)
    const headers = { origin: 'https://berth.test', cookie: 'person=ann' }
    assert.equal(await TestClient.refusal(port, headers), 503)
    await left
    await waitUntil('the other one is closed', () => slow.closeCode === CLOSE_CODE_GATEWAY_STOPPING)
    assert.equal(slow.closedReason, 'It was upgraded')
  })

  test('an idle terminal shows a warning and is then closed', async ({ assert }) => {
    const { port } = await serve({ idleTimeout: 3_000, idleWarning: 2_000 })
    const client = await open(port)
    await waitUntil('it is closed', () => client.closeCode !== null)
    assert.equal(client.closeCode, CLOSE_CODE_IDLE)
    assert.deepEqual(
      client.messages.map(({ type }) => type),
      ['ready', 'warning', 'closed']
    )
  })

  test('disconnects a browser that answers no ping or sends nothing', async ({ assert }) => {
    const { port, gateway } = await serve({
      pingInterval: 1_500,
      credentialsTimeout: 3_000,
      keepFor: 0,
    })
    const silent = await connect(port)
    await waitUntil('the silent one is closed', () => silent.closeCode !== null)
    assert.equal(silent.closedReason, 'The browser sent no credentials')
    const dead = await open(port)
    dead.socket.pause()
    await waitUntil('the dead one is dropped', () => gateway.size === 0)
    assert.equal(closed[0].reason, 'The browser does not respond')
  })

  test('after a disconnect, the browser can resume its shell and gets the screen', async ({
    assert,
  }) => {
    const { port, gateway } = await serve()
    const client = await open(port)
    client.type('echo before-$((40+2)); sleep 1; echo mean$((1+1))while; cat\r')
    await waitUntil('it runs', () => client.text.includes('before-42'))
    await leave(client, port)
    assert.equal(gateway.size, 1)
    assert.lengthOf(closed, 0)

    const again = await takeUp(port, client.token)
    await waitUntil('the screen is there', () => again.text.includes('before-42'))
    assert.isTrue(again.text.startsWith('\x1bc'))
    assert.containsSubset(again.messages[0], { type: 'ready', label: 'web-1', resumed: true })
    await waitUntil('it went on', () => again.text.includes('mean2while'))
    again.type('echoed\r')
    await waitUntil('it goes on', () => again.text.includes('echoed\r\nechoed'))
    assert.equal(opened, 1)

    again.send({ type: 'end' })
    await waitUntil('nothing is left', () => gateway.size === 0)
    assert.lengthOf(closed, 1)
    assert.equal(closed[0].bytes, client.bytes + again.bytes)
  })

  test('rejects a resume token for {who}')
    .with([
      { who: 'another person', cookie: 'person=bob; session=one' },
      { who: 'another sign-in of the same person', cookie: 'person=ann; session=two' },
    ])
    .run(async ({ assert }, { cookie }) => {
      const { port } = await serve()
      const client = await open(port)
      await leave(client, port)
      const other = await takeUp(port, client.token, { cookie })
      assert.equal(other.closeCode, CLOSE_CODE_NOTHING_TO_RESUME)
      assert.equal(other.closedReason, 'The shell in this terminal has ended.')
      assert.equal(other.bytes, 0)
      assert.isTrue((await takeUp(port, client.token)).ready)
    })

  test('each resume replaces the token, and the old token is valid until the browser has received the new one', async ({
    assert,
  }) => {
    const { port } = await serve()
    const client = await open(port)
    await leave(client, port)
    // Simulates pages that are reloaded before they read anything.
    for (let reload = 0; reload < 3; reload++) {
      const hasty = await connect(port)
      hasty.acknowledging = null
      hasty.resume(client.token)
      await waitUntil('it is ready', () => hasty.ready)
      await leave(hasty, port)
    }
    const second = await takeUp(port, client.token)
    assert.notEqual(second.token, client.token)
    second.type('echo $((40+2))\r')
    await waitUntil('it is read', () => second.text.includes('42'))
    const late = await takeUp(port, client.token)
    assert.equal(late.closeCode, CLOSE_CODE_NOTHING_TO_RESUME)
    assert.isNull(second.closeCode)
    assert.equal((await takeUp(port, 'x'.repeat(43))).closeCode, CLOSE_CODE_NOTHING_TO_RESUME)
  })

  test('a new connection replaces one that does not respond, and the old one gets a message', async ({
    assert,
  }) => {
    const { port, gateway } = await serve()
    const client = await open(port)
    client.type('echo first-$((40+2))\r')
    await waitUntil('it shows', () => client.text.includes('first-42'))
    const next = await takeUp(port, client.token)
    await waitUntil('the old one is closed', () => client.closeCode === CLOSE_CODE_TAKEN_OVER)
    assert.equal(client.closedReason, 'This terminal was opened in another window.')
    next.type('echo second-$((40+2))\r')
    await waitUntil('the new one has it', () => next.text.includes('second-42'))
    assert.equal(gateway.size, 1)
    assert.lengthOf(closed, 0)
  })

  test('a disconnected shell is closed once on {what} and cannot be resumed')
    .with<
      {
        what: string
        options?: Partial<GatewayOptions>
        act?: (gateway: Gateway, client: TestClient, revoke: AbortController) => unknown
        reason: string
      }[]
    >([
      { what: 'its time', options: { keepFor: 300 }, reason: 'Nobody reconnected to the terminal' },
      {
        what: 'a long time without a key',
        options: { idleTimeout: 8_000, idleWarning: 4_000 },
        reason: 'This terminal was closed, because no key was pressed for a long time',
      },
      {
        what: 'the right to it',
        act: (_gateway, _client, revoke) => revoke.abort('You were signed out.'),
        reason: 'You were signed out.',
      },
      {
        what: 'an upgrade, at once',
        act: (gateway) => void gateway.leave('Soon', 'It was upgraded', 600_000),
        reason: 'It was upgraded',
      },
      {
        what: 'its machine',
        act: () => sshd.kill(),
        reason: 'lost',
      },
    ])
    .run(async ({ assert }, { options, act, reason }) => {
      const revoke = new AbortController()
      const { port, gateway } = await serve({
        redeem: async (id, { personId }) => ({
          id,
          personId,
          machineId: 'm1',
          label: 'web-1',
          revoked: revoke.signal,
          open: (size) => machine.shell({ ...size, argv: ['sh'] }),
          onClosed: (why, bytes) => void closed.push({ id, reason: why, bytes }),
        }),
        ...options,
      })
      const client = await open(port)
      const pid = await run(client, 'sleep 1000')
      await leave(client, port)
      await act?.(gateway, client, revoke)
      await waitUntil('nothing is left', () => gateway.size === 0)
      await waitUntil('the program is gone', async () => !(await isRunning(pid)))
      assert.lengthOf(closed, 1)
      assert.include(closed[0].reason, reason)
      if (reason === 'It was upgraded') return
      assert.equal((await takeUp(port, client.token)).closeCode, CLOSE_CODE_NOTHING_TO_RESUME)
    })

  test('checks the person’s permission again before a shell is resumed', async ({ assert }) => {
    let allowed: boolean | null = true
    const { port, gateway } = await serve({
      redeem: async (id, { personId }) => {
        const revoke = new AbortController()
        return {
          id,
          personId,
          machineId: 'm1',
          label: 'web-1',
          revoked: revoke.signal,
          open: (size) => machine.shell({ ...size, argv: ['sh'] }),
          recheck: async () => {
            if (allowed === null) throw new Error('no database')
            if (!allowed) revoke.abort('The instance is suspended.')
          },
          onClosed: (reason, bytes) => void closed.push({ id, reason, bytes }),
        }
      },
      onError: () => {},
    })
    const client = await open(port)
    const pid = await run(client, 'sleep 1000')
    await leave(client, port)
    allowed = null
    const unknown = await takeUp(port, client.token)
    assert.isFalse(unknown.ready)
    assert.isUndefined(unknown.closedReason)
    assert.isTrue(await isRunning(pid))

    allowed = false
    const refused = await takeUp(port, client.token)
    assert.equal(refused.closeCode, CLOSE_CODE_NOTHING_TO_RESUME)
    assert.equal(refused.bytes, 0)
    await waitUntil('the program is gone', async () => !(await isRunning(pid)))
    await waitUntil('nothing is left', () => gateway.size === 0)
    assert.deepInclude(closed[0], { reason: 'The instance is suspended.' })
  })

  test('disconnected shells count towards the limit, and a person at the limit can resume their own', async ({
    assert,
  }) => {
    const { port } = await serve({ maxPerPerson: 2, maxPerMachine: 3 })
    const [first, second] = [await open(port), await open(port, 'good-2')]
    await leave(first, port)
    await leave(second, port)
    const third = await connect(port)
    third.signIn('good-3')
    await waitUntil('it is refused', () => third.closeCode === CLOSE_CODE_TOO_MANY_TERMINALS)
    assert.isTrue((await takeUp(port, first.token)).ready)
    assert.isTrue((await takeUp(port, second.token)).ready)
    const bob = { cookie: 'person=bob' }
    const [fourth, fifth] = [await connect(port, bob), await connect(port, bob)]
    fourth.signIn('good-4')
    await waitUntil('one has a place', () => fourth.ready)
    fifth.signIn('good-5')
    await waitUntil('the machine is full', () => fifth.closeCode === CLOSE_CODE_TOO_MANY_TERMINALS)
  })

  test('limits connections per person that have sent no first message', async ({ assert }) => {
    const { port } = await serve({ maxPerPerson: 2 })
    await Promise.all([connect(port), connect(port)])
    const third = await connect(port)
    await waitUntil('it is closed', () => third.closeCode === CLOSE_CODE_TOO_MANY_TERMINALS)
    assert.isNull((await connect(port, { cookie: 'person=bob' })).closeCode)
  })

  test('heavy output of a disconnected shell continues slowly, and only the latest output is kept', async ({
    assert,
  }) => {
    const { port } = await serve({ maxBacklog: 128 * 1024 })
    const client = await open(port)
    client.acknowledging = null
    const ended = join(sshd.folder, 'ended')
    client.type(`yes 0123456789 | head -c 5000000; echo; echo do"ne"; touch ${ended}; cat\r`)
    await waitUntil('it waits for its browser', () => client.bytes >= INITIAL_CREDIT_BYTES)
    await leave(client, port)
    const since = performance.now()
    await waitUntil('it ends by itself', () => existsSync(ended))
    // Without a browser, output is limited to 256 KB per 100 ms.
    assert.isAbove(performance.now() - since, 500)
    const again = await takeUp(port, client.token)
    await waitUntil('its end is there', () => again.text.includes('done'))
    assert.isAtMost(again.largest, 150 * 1024)
    again.type('echoed\r')
    await waitUntil('it goes on', () => again.text.includes('echoed\r\nechoed'))
  })

  test('an error of the application is reported to the browser without its message', async ({
    assert,
  }) => {
    const faults: unknown[] = []
    const { port } = await serve({
      redeem: async () => {
        throw new Error('password of the database: secret')
      },
      onError: (error) => faults.push(error),
    })
    const client = await connect(port)
    client.signIn('good-1')
    await waitUntil('it is closed', () => client.closeCode !== null)
    assert.equal(client.closedReason, 'The terminal did not open')
    assert.lengthOf(faults, 1)
    assert.notInstanceOf(faults[0], MachineError)
  })
})

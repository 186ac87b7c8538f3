import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { Incus } from '../../packages/incus/main.ts'
import { readScript } from '#packages/machine/read_script'
import {
  isIncusReachable,
  supervisePrivateIncus,
  startPrivateIncus,
  stopPrivateIncus,
  unmountBelow,
} from '../../cli/host/incus_daemon.ts'
import { findIncusd } from '../../cli/host/host_packages.ts'
import { eventually } from '../support/eventually.js'

const able = process.getuid?.() === 0 && findIncusd() !== null

test.group('Host | Berth’s own Incus', () => {
  test('restarts when it is killed', async ({ assert, cleanup }) => {
    const home = await mkdtemp('/tmp/berth-daemon-')
    const ending = new AbortController()
    const said: string[] = []
    const socket = await startPrivateIncus(home, () => {})
    const pid = async () => {
      const incus = Incus.local(socket)
      return incus
        .info()
        .then(({ environment }) => environment.server_pid)
        .finally(() => incus.close())
    }
    const first = await pid()
    const keeping = supervisePrivateIncus({
      home,
      signal: ending.signal,
      report: (line) => said.push(line),
    })
    cleanup(async () => {
      ending.abort()
      await keeping
      await stopPrivateIncus(socket)
      await unmountBelow(join(home, 'incus'))
      await rm(home, { recursive: true, force: true })
    })

    process.kill(first, 'SIGKILL')
    await eventually(async () => assert.notEqual(await pid(), first))
    assert.match(said[0], /^Incus stopped unexpectedly\. Starting it again\. Last log lines:\n/)
  }).skip(!able, 'needs root and Incus')

  test('reports cgroup controllers that the kernel lacks', async ({ assert, cleanup }) => {
    const home = await mkdtemp('/tmp/berth-daemon-')
    const script = readScript(import.meta, '../support/run_without_cgroup_controllers.sh')
    const env = { ...process.env, INCUS_SOCKET: undefined, INCUS_DIR: home }
    const argv = ['-m', 'sh', '-c', script, 'berth', findIncusd()!]
    const daemon = spawn('unshare', argv, { env, stdio: 'ignore' })
    const ended = once(daemon, 'exit')
    const socket = join(home, 'unix.socket')
    const incus = Incus.local(socket)
    cleanup(async () => {
      await incus.close()
      await stopPrivateIncus(socket)
      await ended
      await rm(home, { recursive: true, force: true })
    })
    await eventually(async () => assert.isTrue(await isIncusReachable(socket)))
    assert.deepEqual(await incus.server.missingControllers(), ['cpu', 'memory', 'pids'])
  }).skip(!able, 'needs root and Incus')
})

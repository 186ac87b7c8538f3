import { test } from '@japa/runner'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BerthHome } from '../berth_home.js'
import type { ProcessManager, ManagedProcess } from '../release/process_manager.js'
import { findUpProcessManager, listenOnUpgradeSocket } from '../release/up_process_manager.js'

const kept: ManagedProcess = {
  id: 'web',
  name: 'web',
  folder: '/srv/build',
  deaths: 0,
  leaving: false,
  pid: 7,
}

test.group('Processes of `./berth up`', (group) => {
  let home: BerthHome

  group.each.setup(async () => {
    const path = await mkdtemp(join(tmpdir(), 'berth-up-'))
    home = { path } as BerthHome
    return () => rm(path, { recursive: true, force: true })
  })

  test('an upgrade that is killed during a call does not stop the process manager', async ({
    assert,
    cleanup,
  }) => {
    const keeper = { list: async () => [kept] } as Partial<ProcessManager> as ProcessManager
    cleanup(await listenOnUpgradeSocket(home, keeper))

    for (const said of ['{"call":"list","given":[]}\n'.repeat(500), '{"call":"li']) {
      const killed = connect(join(home.path, 'up.sock'))
      await once(killed, 'connect')
      // Sends a request and disconnects without reading a response, so that the server cannot write its response.
      killed.pause().write(said)
      await new Promise((done) => setTimeout(done, 100))
      killed.destroy()
      await once(killed, 'close')
    }

    const asked = await findUpProcessManager(home)
    cleanup(() => asked?.close())
    assert.deepEqual(await asked?.processManager.list(), [kept])
  })

  test('without a running `./berth up`, there is no process manager', async ({ assert }) => {
    assert.isUndefined(await findUpProcessManager(home))
  })
})

import { test } from '@japa/runner'
import type { TestContext } from '@japa/runner/core'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BerthHome } from '../berth_home.js'
import type { ManagedProcess, ProcessManager } from '../release/process_manager.js'
import { waitForExitingRoles } from '../release/replace_role.js'
import { createSystemdProcessManager } from '../release/systemd_process_manager.js'

/** Replaces systemctl. Records its arguments, and describes one running unit. */
const fakeSystemctl = (unitFileState: string) => `#!/bin/sh
echo "$*" >> "$(dirname "$0")/calls"
case "$*" in
*show*) printf 'Id=berth-web.service\\nMainPID=7\\nNRestarts=0\\nUnitFileState=${unitFileState}\\n' ;;
*disable*) cp "$(dirname "$0")/berth-web.service" "$(dirname "$0")/unit-at-disable" ;;
esac
`

const { PATH } = process.env
const ID = 'berth-web.service'
const unitWith = (restart: string) => `[Service]\n${restart}\nRestartSec=1\n`

const leavingProcess = (id: string, name: string, pid?: number): ManagedProcess => ({
  id,
  name,
  folder: '/srv',
  deaths: 0,
  leaving: true,
  pid,
})

test.group('Exiting processes during an upgrade', () => {
  test('an upgrade waits until the processes exit, reach their time limit or are removed', async ({
    assert,
  }) => {
    const all = [
      leavingProcess('exited', 'mail'),
      leavingProcess('hung', 'web', 7),
      leavingProcess('removed', 'worker', 8),
    ]
    const ended: string[] = []
    const processManager = {
      // Simulates that another command, such as `berth uninstall`, removes a process after the first call.
      list: async () => all.splice(0, all.length, ...all.filter(({ id }) => id !== 'removed')),
      end: async (id: string) => void ended.push(id),
    } as Partial<ProcessManager> as ProcessManager
    await waitForExitingRoles(processManager, { goneWithin: 300 })
    assert.deepEqual(ended, ['exited', 'hung'])
  })

  /** Creates a unit and a fake systemctl, and runs `leave`. Returns the unit's folder, and the calls of systemctl. */
  const leaveUnit = async (cleanup: TestContext['cleanup'], unit: string, state: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-units-'))
    cleanup(async () => {
      process.env.PATH = PATH
      await rm(folder, { recursive: true })
    })
    await writeFile(join(folder, 'systemctl'), fakeSystemctl(state))
    await chmod(join(folder, 'systemctl'), 0o755)
    process.env.PATH = `${folder}:${PATH}`
    await writeFile(join(folder, ID), unit)
    await createSystemdProcessManager({ path: folder } as BerthHome, folder).leave(ID)
    const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')
    return { folder, calls }
  }

  test('systemd does not restart an exiting process that crashes', async ({ assert, cleanup }) => {
    const unit = unitWith('Restart=always')
    const { folder, calls } = await leaveUnit(cleanup, unit, 'enabled')
    assert.equal(await readFile(join(folder, ID), 'utf8'), unitWith('Restart=no'))
    // The order must be: `disable`, change of the unit file, `daemon-reload`, and then the signal to the process.
    assert.match(calls.at(-3)!, /disable --quiet berth-web\.service$/)
    assert.equal(await readFile(join(folder, 'unit-at-disable'), 'utf8'), unit)
    assert.match(calls.at(-2)!, /daemon-reload$/)
    assert.match(calls.at(-1)!, /kill --kill-whom=main --signal=SIGUSR2 berth-web\.service$/)
  })

  test('a repeated upgrade completes the exit of a unit that an interrupted upgrade only disabled', async ({
    assert,
    cleanup,
  }) => {
    for (const restart of ['Restart=always', 'Restart=no']) {
      const { folder, calls } = await leaveUnit(cleanup, unitWith(restart), 'disabled')
      assert.equal(await readFile(join(folder, ID), 'utf8'), unitWith('Restart=no'))
      assert.match(calls.at(-2)!, /daemon-reload$/)
      assert.match(calls.at(-1)!, /kill --kill-whom=main --signal=SIGUSR2 berth-web\.service$/)
    }
  })
})

import { test } from '@japa/runner'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BerthHome } from '../berth_home.js'
import type { ManagedProcess, ProcessManager } from '../release/process_manager.js'
import { waitForExitingRoles } from '../release/replace_role.js'
import { createSystemdProcessManager } from '../release/systemd_process_manager.js'

/** Replaces systemctl. Records its arguments, and describes one running unit. */
const FAKE_SYSTEMCTL = `#!/bin/sh
echo "$*" >> "$(dirname "$0")/calls"
case "$*" in
*show*) printf 'Id=berth-web.service\\nMainPID=7\\nNRestarts=0\\nUnitFileState=enabled\\n' ;;
*disable*) cp "$(dirname "$0")/berth-web.service" "$(dirname "$0")/unit-at-disable" ;;
esac
`

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

  test('systemd does not restart an exiting process that crashes', async ({ assert, cleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-units-'))
    const { PATH } = process.env
    cleanup(async () => {
      process.env.PATH = PATH
      await rm(folder, { recursive: true })
    })
    await writeFile(join(folder, 'systemctl'), FAKE_SYSTEMCTL)
    await chmod(join(folder, 'systemctl'), 0o755)
    process.env.PATH = `${folder}:${PATH}`
    const id = 'berth-web.service'
    const unit = '[Service]\nRestart=always\nRestartSec=1\n'
    await writeFile(join(folder, id), unit)

    await createSystemdProcessManager({ path: folder } as BerthHome, folder).leave(id)
    assert.equal(await readFile(join(folder, id), 'utf8'), '[Service]\nRestart=no\nRestartSec=1\n')
    const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')
    // The order must be: `disable`, change of the unit file, `daemon-reload`, and then the signal to the process.
    assert.match(calls.at(-3)!, /disable --quiet berth-web\.service$/)
    assert.equal(await readFile(join(folder, 'unit-at-disable'), 'utf8'), unit)
    assert.match(calls.at(-2)!, /daemon-reload$/)
    assert.match(calls.at(-1)!, /kill --kill-whom=main --signal=SIGUSR2 berth-web\.service$/)
  })
})

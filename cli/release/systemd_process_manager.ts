import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DRAIN_SIGNAL } from '../../packages/service/graceful_handover.js'
import { writePrivateJson, type BerthHome } from '../berth_home.js'
import { envNamesByRole } from '../roles.js'
import { runProgram } from '../run_program.js'
import type { ProcessSpec } from '../supervisor.js'
import {
  listInstalledUnits,
  readUnitProperties,
  systemctl,
  removeUnits,
} from '../service/systemd.js'
import {
  credentialFile,
  splitUnitEnv,
  UNIT_SUFFIXES,
  unitFolder,
  unitFor,
  unitName,
} from '../service/units.js'
import type { ProcessManager, ManagedProcess } from './process_manager.js'

const UNIT_PROPERTIES = [
  'Id',
  'ActiveState',
  'MainPID',
  'NRestarts',
  'WorkingDirectory',
  'UnitFileState',
]

/** Returns a process manager that uses systemd. During an upgrade, a role can have two units, otherwise one. */
export function createSystemdProcessManager(home: BerthHome, folder = unitFolder): ProcessManager {
  const list = async (): Promise<ManagedProcess[]> => {
    const names = (await listInstalledUnits(folder)).filter((name) => roleOfUnit(name))
    return (await readUnitProperties(names, UNIT_PROPERTIES)).map((unit) => ({
      id: unit.Id,
      name: roleOfUnit(unit.Id)!,
      folder: unit.WorkingDirectory,
      pid: Number(unit.MainPID) || undefined,
      deaths: unit.ActiveState === 'failed' ? 1 : Number(unit.NRestarts || 0),
      leaving: unit.UnitFileState !== 'enabled',
    }))
  }
  const end = async (id: string): Promise<void> => {
    await removeUnits([id], folder)
    await rm(credentialFile(home, id), { force: true })
  }
  return {
    list,
    end,
    async start(role: ProcessSpec): Promise<string> {
      const present = await listInstalledUnits(folder)
      const suffix = UNIT_SUFFIXES.find((one) => !present.includes(unitName(role.name, one)))
      if (suffix === undefined) throw new Error(`Two processes of ${role.name} already exist`)
      const id = unitName(role.name, suffix)
      const { name, text } = unitFor(role, { home, suffix })
      if (name !== id) throw new Error(`${name} is not ${id}`)
      await writePrivateJson(credentialFile(home, id), splitUnitEnv(role).secret)
      await writeFile(join(folder, id), text, { mode: 0o644 })
      await systemctl('daemon-reload')
      await systemctl('enable', '--quiet', id)
      // Ignores the exit code, because the caller checks whether the unit's process becomes ready.
      await runProgram(['systemctl', 'start', id])
      return id
    },
    async leave(id) {
      // Does not skip a unit that is already disabled, because an earlier call may have been killed right after it had
      // disabled the unit. A process ignores all drain signals after the first.
      if (!(await list()).some((one) => one.id === id)) return
      // From now on, only the role's other unit starts at a reboot. This comes before the next step: if the upgrade is
      // killed between them, systemd still restarts this unit after a crash.
      await systemctl('disable', '--quiet', id)
      // If the exiting process crashes, systemd must not restart it. The restarted process would handle requests with
      // the previous release until the upgrade's time limit ends it.
      const path = join(folder, id)
      const text = await readFile(path, 'utf8')
      const draft = join(folder, `.${id}.draft`)
      await writeFile(draft, text.replace(/^Restart=.*$/m, 'Restart=no'), { mode: 0o644 })
      await rename(draft, path)
      await systemctl('daemon-reload')
      await runProgram(['systemctl', 'kill', '--kill-whom=main', `--signal=${DRAIN_SIGNAL}`, id])
    },
    async words(id) {
      const { output } = await runProgram([
        'journalctl',
        '--no-pager',
        '-o',
        'cat',
        '-n',
        '15',
        '-u',
        id,
      ])
      return output.trim().split('\n')
    },
  }
}

function roleOfUnit(unit: string): string | undefined {
  return Object.keys(envNamesByRole).find((name) =>
    UNIT_SUFFIXES.some((suffix) => unitName(name, suffix) === unit)
  )
}

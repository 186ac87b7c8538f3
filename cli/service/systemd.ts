import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runOrThrow, runProgram } from '../run_program.js'
import { unitFolder, type Unit } from './units.js'

/** @throws Error with systemctl's output */
export const systemctl = (...args: string[]) => runOrThrow(['systemctl', '--no-pager', ...args])

export async function listInstalledUnits(folder = unitFolder): Promise<string[]> {
  const files = existsSync(folder) ? await readdir(folder) : []
  return files.filter((name) => /^berth[-.][\w@-]*\.?(service|socket|target)$/.test(name)).sort()
}

export async function replaceUnits(units: Unit[], folder = unitFolder): Promise<void> {
  const names = new Set(units.map(({ name }) => name))
  const gone = (await listInstalledUnits(folder)).filter((name) => !names.has(name))
  await removeUnits(gone, folder)
  await addUnits(units, folder)
}

export async function addUnits(units: Unit[], folder = unitFolder): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { name, text } of units) await writeFile(join(folder, name), text, { mode: 0o644 })
  await systemctl('daemon-reload')
  // A template unit (`NAME@.service`), which systemd starts for each connection, cannot be enabled.
  const names = units.map(({ name }) => name).filter((name) => !name.includes('@'))
  await systemctl('enable', '--quiet', ...names)
}

export async function removeUnits(names: string[], folder = unitFolder): Promise<void> {
  for (const name of names) {
    if (!name.includes('@')) await runProgram(['systemctl', 'disable', '--now', '--quiet', name])
    await rm(join(folder, name), { force: true })
  }
  if (names.length) await systemctl('daemon-reload')
}

export async function readUnitProperties(
  names: string[],
  properties: string[]
): Promise<Record<string, string>[]> {
  if (names.length === 0) return []
  const shown = await systemctl('show', `--property=${properties.join(',')}`, ...names)
  return shown
    .trim()
    .split('\n\n')
    .map((block) =>
      Object.fromEntries(
        block.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)])
      )
    )
}

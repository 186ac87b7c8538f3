import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const releaseVersion = versionAbove(import.meta.dirname)

function versionAbove(folder: string): string {
  const file = join(folder, 'package.json')
  if (existsSync(file))
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  return dirname(folder) === folder ? 'unknown' : versionAbove(dirname(folder))
}

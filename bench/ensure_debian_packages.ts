import { existsSync } from 'node:fs'
import { installAptPackages } from '../cli/apt_packages.js'

/** Installs Debian packages whose programs are missing. `programs`: packages by the paths of their programs. */
export async function ensureDebianPackages(programs: Record<string, string>): Promise<void> {
  const missing = Object.keys(programs).filter((program) => !existsSync(program))
  if (missing.length > 0) await installAptPackages(missing.map((program) => programs[program]))
}

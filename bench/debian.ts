import { existsSync } from 'node:fs'
import { installAptPackages } from '../cli/apt_packages.js'

/** Installs what is measured against, or measured with, where it is missing: programs by path, and their packages. */
export async function needs(programs: Record<string, string>): Promise<void> {
  const missing = Object.keys(programs).filter((program) => !existsSync(program))
  if (missing.length > 0) await installAptPackages(missing.map((program) => programs[program]))
}

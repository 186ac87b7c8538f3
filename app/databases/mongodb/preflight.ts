import type { PreflightResult } from '#databases/servers/engine_driver'
import { freeBytesWithinQuota, type ServerInstance } from '#instances/public'
import type { Machine } from '#packages/machine/main'
import { runCommand } from '#guest/public_effects'
import env from '#start/env'
import { readScript } from '#packages/machine/read_script'

export const MONGODB_SERIES = '8.0'
/** Debian releases whose MongoDB packages can be used, in this order. Instances run the first release. */
const DEBIAN_SUITES = ['trixie', 'bookworm']
const OFFICIAL_SOURCE = {
  repository: 'https://repo.mongodb.org/apt/debian',
  key: `https://pgp.mongodb.com/server-${MONGODB_SERIES}.asc`,
}
/** `floor`: required memory. With less than `well`, a page shows a warning. */
const MEMORY_REQUIREMENT_BYTES = { floor: 900_000_000, well: 1_900_000_000 }
const DISK_REQUIREMENT_BYTES = { floor: 2_000_000_000 }
const BYTES_PER_GB = 1_000_000_000

export function packageSource(): { repository: string; key: string } {
  const repository = env.get('MONGODB_REPOSITORY')
  const key = env.get('MONGODB_REPOSITORY_KEY')
  return { repository: repository ?? OFFICIAL_SOURCE.repository, key: key ?? OFFICIAL_SOURCE.key }
}

const MACHINE_INFO_SCRIPT = readScript(import.meta, 'read_machine_info.sh')

const FIND_SUITE_SCRIPT = readScript(import.meta, 'find_suite.sh')

export async function readMachineInfo(machine: Machine): Promise<Record<string, string>> {
  const output = await runCommand(
    machine,
    'The state of the server instance could not be read',
    ['sh', '-c', MACHINE_INFO_SCRIPT],
    {
      timeout: 60_000,
    }
  )
  const lines = output.split('\n').filter((line) => line.includes('='))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
  )
}

export function preflightFromMachineInfo(machine: Record<string, string>): PreflightResult {
  const reason = unsupportedReason(machine)
  const warnings: string[] = []
  const memory = Number(machine.memory)
  if (memory < MEMORY_REQUIREMENT_BYTES.well) {
    warnings.push(
      `MongoDB works well with at least 2 GB of memory. This server instance has ${inGB(memory)}, which is enough only for small databases. Choose a larger package for more data.`
    )
  }
  if (machine.pages && !machine.pages.includes('[always]')) {
    warnings.push(
      `MongoDB ${MONGODB_SERIES} runs a little slower on this host, because transparent huge pages are not always on. Ask support to turn them on.`
    )
  }
  return {
    unsupportedReason: reason,
    warning: reason || warnings.length === 0 ? null : warnings.join(' '),
  }
}

function unsupportedReason(machine: Record<string, string>): string | null {
  const nothing = 'Nothing was changed.'
  if (machine.package !== 'installed' && machine.taken === 'yes') {
    return `Another program listens on port 27017 of this server instance. Stop it, then try again. ${nothing}`
  }
  if (machine.machine !== 'x86_64') {
    return `MongoDB offers Debian packages only for x86_64 processors. This server instance has ${machine.machine}. ${nothing}`
  }
  if (machine.avx !== 'yes') {
    return `MongoDB needs a processor with AVX, which the processor of this host does not have. Choose a server instance on another host, or use MySQL. ${nothing}`
  }
  if (isBadKernel(machine.kernel ?? '')) {
    return `MongoDB ${MONGODB_SERIES} does not run on the Linux kernels 6.19 to 7.0.13, and the host of this server instance runs ${machine.kernel}. Ask support to update the host. ${nothing}`
  }
  const little = memoryProblem(Number(machine.memory))
  if (little) return `${little} ${nothing}`
  if (Number(machine.disk) < DISK_REQUIREMENT_BYTES.floor) {
    return `MongoDB needs 2 GB of free disk space, and this server instance has ${inGB(Number(machine.disk))}. Free some space or choose a larger package. ${nothing}`
  }
  return null
}

export function memoryProblem(bytes: number): string | null {
  if (bytes >= MEMORY_REQUIREMENT_BYTES.floor) return null
  return `MongoDB needs 1 GB of memory, and this server instance has ${inGB(bytes)}. Choose a larger package.`
}

/** MongoDB's release notes for 8.0 exclude the kernels 6.19 to 7.0.13. An instance uses its host's kernel. */
export function isBadKernel(release: string): boolean {
  const [major = 0, minor = 0, patch = 0] = release
    .split(/[.-]/, 3)
    .map((part) => parseInt(part) || 0)
  const number = major * 1_000_000 + minor * 1_000 + patch
  return number >= 6_019_000 && number <= 7_000_013
}

const inGB = (bytes: number) => `${(bytes / BYTES_PER_GB).toFixed(1)} GB`

/** Null: MongoDB's repository has packages for none of `DEBIAN_SUITES`, or does not respond. */
export async function findSuiteWithPackages(machine: Machine): Promise<string | null> {
  const { repository, key } = packageSource()
  const argv = [
    'sh',
    '-c',
    FIND_SUITE_SCRIPT,
    'berth-mongodb',
    repository,
    key,
    MONGODB_SERIES,
    ...DEBIAN_SUITES,
  ]
  const { code, stdout } = await machine.exec(argv, { user: 'root', cwd: '/', timeout: 300_000 })
  const suite = stdout.toString().trim()
  return code === 0 && DEBIAN_SUITES.includes(suite) ? suite : null
}

/** Changes nothing on the machine. */
export async function runPreflight(
  instance: ServerInstance,
  machine: Machine
): Promise<PreflightResult> {
  const machineInfo = await readMachineInfo(machine)
  machineInfo.disk = String(freeBytesWithinQuota(instance, Number(machineInfo.disk)))
  const result = preflightFromMachineInfo(machineInfo)
  if (result.unsupportedReason || machineInfo.package === 'installed') return result
  if (await findSuiteWithPackages(machine)) return result
  return {
    unsupportedReason: `MongoDB ${MONGODB_SERIES} cannot be installed on this server instance: ${packageSource().repository} has no package for Debian ${DEBIAN_SUITES.join(' or ')}, or does not respond. Nothing was changed. Try again later, or use MySQL.`,
    warning: null,
  }
}

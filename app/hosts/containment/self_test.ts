import { storableText } from '#core/storable_text'
import { BASE_IMAGE } from '#hosts/base_image'
import { incusClientFor } from '#hosts/incus_connections'
import {
  FLOOD_CONNECTIONS_COMMAND,
  FILL_MEMORY_FILE_SYSTEMS_COMMAND,
  INSTANCE_OWNED_PATHS,
  CONNECT_TO_NEIGHBOURS_COMMAND,
  CREATE_NETWORK_NAMESPACES_COMMAND,
  CREATE_SUBVOLUME_COMMAND,
  EXCEED_LIMITS_COMMAND,
  STORE_KEYS_COMMAND,
  LIST_WRITABLE_FILES_COMMAND,
} from '#hosts/containment/attack_programs'
import { ISOLATION_SETTINGS } from '#hosts/containment/isolation_settings'
import {
  INSTALLATION_CONFIG_KEY,
  loadInstallationId,
  uniqueIncusName,
} from '#hosts/installation_identity'
import type HostInstance from '#hosts/models/host_instance'
import { type Incus, type Instance, powerOn, removeContainer } from '#packages/incus/main'
import { readScript } from '#packages/machine/read_script'
import { setTimeout as sleep } from 'node:timers/promises'

export interface BrokenBoundary {
  boundary: string
  /** What the attack achieved, as one line. */
  evidence: string
}

export interface ContainmentReport {
  /** ISO time. */
  at: string
  broken: BrokenBoundary[]
  /** Why the test could not run; null if it ran. */
  error: string | null
}

const LIMITS_BOUNDARY = 'Resource limits'
/** Start of evidence that does not prove a broken boundary, because it may have another cause. */
const UNFINISHED_ATTEMPT = 'the attempt'
const WAIT_SCRIPT = readScript(import.meta, 'wait_until_started.sh')

interface Attempt {
  boundary: string
  argv: string[]
  /** Returns the evidence if the attack succeeded. Default: any output of the attack is evidence. */
  isBroken?: (incus: Incus, name: string) => Promise<string | null>
}

const MEMORY_BYTES = 256 * 1024 ** 2
const MAX_PROCESSES = 512
const MAX_CPUS = 1
const DISK_BYTES = 2 * 1024 ** 3
const ATTEMPT_TIMEOUT_SECONDS = 60
const START_TIMEOUT_MS = 60_000
/** More connections than an instance may open at the same time (cli/host/connection_limits.ts). */
const CONNECTION_COUNT = 6_000
/** Longer than the interval at which the host reports rejected connections, 10 s. */
const REJECTION_REPORT_TIMEOUT_MS = 25_000
const REFUSED_CONNECTIONS_KEY = 'user.berth.connections.refused'
/** An address without a machine: it is reserved for documentation (RFC 5737). */
const UNUSED_ADDRESS = '198.51.100.1'
const MAX_NEIGHBOURS = 20
const MAX_EVIDENCE_LENGTH = 300

function attemptsOn(gateway: string, neighbours: string[]): Attempt[] {
  const targets = [gateway, ...neighbours].flatMap((address) => [`${address}:22`, `${address}:80`])
  const limits = [MEMORY_BYTES, MAX_PROCESSES, MAX_CPUS].map(String)
  return [
    { boundary: LIMITS_BOUNDARY, argv: [...EXCEED_LIMITS_COMMAND, ...limits] },
    {
      boundary: 'Files of the host',
      argv: [...LIST_WRITABLE_FILES_COMMAND, INSTANCE_OWNED_PATHS],
    },
    { boundary: 'Disk limit', argv: [...CREATE_SUBVOLUME_COMMAND, '/var/tmp'] },
    {
      boundary: 'Memory file systems',
      argv: [...FILL_MEMORY_FILE_SYSTEMS_COMMAND, String(MEMORY_BYTES)],
    },
    { boundary: 'Kernel keys', argv: STORE_KEYS_COMMAND },
    { boundary: 'Network namespaces', argv: CREATE_NETWORK_NAMESPACES_COMMAND },
    {
      boundary: 'Neighbours and the host',
      argv: [...CONNECT_TO_NEIGHBOURS_COMMAND, ...targets],
    },
    {
      boundary: 'Connections',
      argv: [...FLOOD_CONNECTIONS_COMMAND, UNUSED_ADDRESS, String(CONNECTION_COUNT)],
      isBroken: async (incus, name) => {
        const isRefused = async () =>
          Boolean((await incus.instances.get(name)).config[REFUSED_CONNECTIONS_KEY])
        return (await waitUntil(REJECTION_REPORT_TIMEOUT_MS, isRefused))
          ? null
          : `the host accepted all ${CONNECTION_COUNT} connections`
      },
    },
  ]
}

/**
 * Attacks the host from a test instance that is configured like those of customers.
 * @param change Incus config that disables a protection, for tests
 */
export async function testContainment(
  host: HostInstance,
  change: Record<string, string> = {}
): Promise<ContainmentReport> {
  const at = new Date().toISOString()
  try {
    return { at, broken: await runAttempts(host, change), error: null }
  } catch (error) {
    return { at, broken: [], error: error instanceof Error ? error.message : String(error) }
  }
}

async function runAttempts(
  host: HostInstance,
  change: Record<string, string>
): Promise<BrokenBoundary[]> {
  const incus = incusClientFor(host)
  const name = await selfTestInstanceName()
  await removeContainer(incus, name)
  try {
    const { gateway, address, neighbours } = await addressesOn(host, incus)
    await makeInstance(host, incus, { name, address, change })
    const broken: BrokenBoundary[] = []
    for (const attempt of attemptsOn(gateway, neighbours)) {
      const evidence = await evidenceFor(attempt, incus, name)
      if (evidence === null) continue
      broken.push({
        boundary: attempt.boundary,
        evidence: storableText(evidence.trim().replaceAll('\n', ', '), MAX_EVIDENCE_LENGTH),
      })
    }
    return broken
  } finally {
    await removeContainer(incus, name)
  }
}

/** Returns how the last test instance exceeded its limits. Null if it did not, or if that is uncertain. */
export function findExceededLimits({
  containment,
}: Pick<HostInstance, 'containment'>): string | null {
  const broken = containment?.broken.find(({ boundary }) => boundary === LIMITS_BOUNDARY)
  if (!broken || broken.evidence.startsWith(UNFINISHED_ATTEMPT)) return null
  return `A test instance on this host exceeded its limits: ${broken.evidence}. Berth repeats the test every 10 minutes.`
}

export function selfTestInstanceName(): Promise<string> {
  return uniqueIncusName('containment')
}

async function evidenceFor(attempt: Attempt, incus: Incus, name: string): Promise<string | null> {
  try {
    const { exitCode, stdout, stderr } = await incus.instances.exec(name, attempt.argv, {
      timeout: ATTEMPT_TIMEOUT_SECONDS,
    })
    if (exitCode !== 0) return `${UNFINISHED_ATTEMPT} failed (${exitCode}): ${stderr.toString()}`
    if (attempt.isBroken) return await attempt.isBroken(incus, name)
    return stdout.toString() || null
  } catch (error) {
    // An attack that makes the whole instance stop also counts as a broken boundary.
    return `${UNFINISHED_ATTEMPT} did not finish: ${(error as Error).message}`
  }
}

async function addressesOn(host: HostInstance, incus: Incus) {
  const [{ config }, containers] = await Promise.all([
    incus.networks.get(host.network!),
    incus.instances.list(),
  ])
  const [gateway, prefix] = (config['ipv4.address'] ?? '').split('/') as [string, string]
  const taken = containers.flatMap(addressOf)
  const address = lastFree(gateway, Number(prefix), new Set(taken))
  return { gateway, address, neighbours: taken.slice(0, MAX_NEIGHBOURS) }
}

function addressOf({ devices }: Instance): string[] {
  const address = devices.eth0?.['ipv4.address']
  return address ? [address] : []
}

/** Returns the last free address of the network. Customers' instances get the first ones, so a conflict is rare. */
function lastFree(gateway: string, prefix: number, taken: Set<string>): string {
  const own = gateway.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - prefix)
  const first = own - (own % size)
  for (let number = first + size - 2; number > first; number--) {
    const address = [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
    if (number !== own && !taken.has(address)) return address
  }
  throw new Error('The network of the host has no free address')
}

interface TestInstanceOptions {
  name: string
  address: string
  change: Record<string, string>
}

async function makeInstance(
  host: HostInstance,
  incus: Incus,
  { name, address, change }: TestInstanceOptions
): Promise<void> {
  const settings = Object.entries(ISOLATION_SETTINGS).concat(Object.entries(change))
  const operation = await incus.instances.create({
    name,
    image: BASE_IMAGE,
    description: 'Self-test of containment',
    profiles: ['default'],
    config: {
      [INSTALLATION_CONFIG_KEY]: await loadInstallationId(),
      'limits.cpu': String(MAX_CPUS),
      'limits.memory': `${MEMORY_BYTES}B`,
      'limits.processes': String(MAX_PROCESSES),
      'security.idmap.isolated': 'true',
      ...Object.fromEntries(settings),
    },
    devices: {
      root: { type: 'disk', path: '/', pool: host.storagePool!, size: String(DISK_BYTES) },
      eth0: {
        type: 'nic',
        name: 'eth0',
        network: host.network!,
        'ipv4.address': address,
        'security.port_isolation': 'true',
      },
    },
    ...(host.systemId ? { target: host.systemId } : {}),
  })
  await operation.wait(300)
  await powerOn(incus, name)
  const isReady = async () => {
    const argv = ['sh', '-c', WAIT_SCRIPT]
    return (await incus.instances.exec(name, argv, { timeout: ATTEMPT_TIMEOUT_SECONDS })).stdout
      .toString()
      .includes(address)
  }
  if (!(await waitUntil(START_TIMEOUT_MS, isReady)))
    throw new Error('The self-test instance did not start')
}

async function waitUntil(timeoutMs: number, isSo: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (!(await isSo())) {
    if (Date.now() > deadline) return false
    await sleep(500)
  }
  return true
}

import { randomUUID } from 'node:crypto'
import type { Acl, Network } from '../networks.ts'
import type { Image } from '../images.ts'
import type { Instance } from '../instances.ts'
import type { OperationState } from '../operation.ts'
import type { Profile } from '../profiles.ts'
import type { ServerWarning } from '../server.ts'
import type { StoragePool } from '../storage.ts'

export interface FakeFile {
  type: 'file' | 'directory'
  content: Buffer
  uid: number
  gid: number
  mode: string
}

export interface FakeInstance {
  instance: Instance
  files: Map<string, FakeFile>
  startedAt: number
}

export interface FakeProgramResult {
  stdout?: string | Buffer
  stderr?: string | Buffer
  exitCode?: number
  /** Whether to close the output connections before the frame that marks the end of the output, as in a failure. */
  isCut?: boolean
}

export interface FakeProgramCall {
  instance: string
  argv: string[]
  env: Record<string, string>
  cwd: string
  user: number
  stdin: Buffer
}

/**
 * Simulates a program. If it returns null, the next handler runs. If all handlers return null, a built-in program runs.
 */
export type FakeProgramHandler = (
  call: FakeProgramCall
) => FakeProgramResult | null | Promise<FakeProgramResult | null>

export class FakeState {
  readonly instances = new Map<string, FakeInstance>()
  readonly images = new Map<string, Image>()
  readonly aliases = new Map<string, { target: string; description: string }>()
  readonly networks = new Map<string, Network>()
  readonly acls = new Map<string, Acl>()
  readonly pools = new Map<string, StoragePool>()
  readonly profiles = new Map<string, Profile>()
  readonly operations = new Map<string, OperationState>()
  readonly waiters = new Map<string, Set<() => void>>()
  readonly handlers: FakeProgramHandler[] = []
  config: Record<string, string> = {}
  warnings: ServerWarning[] = []
  isClustered = false
  /** Resources of the simulated machine: number of processors, bytes of memory and disk. */
  readonly means = { processors: 8, memory: 16 * 1024 ** 3, disk: 20_000_000_000 }

  constructor() {
    this.networks.set('incusbr0', {
      name: 'incusbr0',
      description: '',
      type: 'bridge',
      managed: true,
      status: 'Created',
      config: { 'ipv4.address': '10.10.10.1/24', 'ipv4.nat': 'true', 'ipv6.address': 'none' },
      used_by: [],
    })
    this.pools.set('berth', {
      name: 'berth',
      driver: 'btrfs',
      description: '',
      status: 'Created',
      config: {},
      used_by: [],
    })
    this.profiles.set('default', {
      name: 'default',
      description: 'Default',
      config: {},
      devices: {
        root: { type: 'disk', path: '/', pool: 'berth' },
        eth0: { type: 'nic', name: 'eth0', network: 'incusbr0' },
      },
      used_by: [],
    })
    this.addImage('berth-base', { description: 'Berth base' })
  }

  addImage(alias: string | null, properties: Record<string, string>, size = 1024): Image {
    const fingerprint = `${randomUUID()}${randomUUID()}`.replaceAll('-', '')
    const now = new Date().toISOString()
    const image: Image = {
      fingerprint,
      size,
      type: 'container',
      architecture: 'x86_64',
      created_at: now,
      uploaded_at: now,
      properties,
      aliases: [],
    }
    this.images.set(fingerprint, image)
    if (alias) this.aliases.set(alias, { target: fingerprint, description: '' })
    return image
  }

  freeAddress(): string {
    const taken = new Set([...this.instances.values()].map((each) => instanceAddress(each)))
    for (let last = 2; last < 255; last++) {
      const address = `10.10.10.${last}`
      if (!taken.has(address)) return address
    }
    return '10.10.10.254'
  }
}

export function instanceAddress({ instance }: FakeInstance): string | undefined {
  return instance.devices.eth0?.['ipv4.address'] ?? instance.config['volatile.eth0.address']
}

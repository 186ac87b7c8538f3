import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { IncusError, isIncusError } from './errors.ts'
import { exec, execStreams, execInTerminal } from './exec.ts'
import type { ExecOptions, ExecResult, ExecStreams, ExecTerminal } from './exec.ts'
import { Operation, operationFromPath } from './operation.ts'
import type { Transport } from './transport.ts'

/** Matches the error with which Incus rejects changes to an instance that is stopping or restarting. */
const BUSY = /Instance is busy running/
const BUSY_POLL_MS = 250

export type InstanceType = 'container' | 'virtual-machine'
export type Device = Record<string, string>

export interface Instance {
  name: string
  description: string
  type: InstanceType
  status: 'Running' | 'Stopped' | 'Frozen' | 'Error' | string
  status_code: number
  architecture: string
  /** Name of the cluster member on which the instance runs. `none` on a server outside a cluster. */
  location: string
  project: string
  created_at: string
  /** Time of the last start, as ISO 8601. */
  last_used_at?: string
  ephemeral: boolean
  stateful: boolean
  profiles: string[]
  config: Record<string, string>
  devices: Record<string, Device>
  /** The instance's own `config`, merged with the config of its profiles. */
  expanded_config: Record<string, string>
  expanded_devices: Record<string, Device>
}

export interface InstanceAddress {
  family: 'inet' | 'inet6'
  address: string
  netmask: string
  scope: 'global' | 'link' | 'local'
}

export interface InstanceState {
  status: string
  status_code: number
  pid: number
  processes: number
  /** CPU time since the instance started, in nanoseconds. */
  cpu: { usage: number }
  /** Memory in bytes. */
  memory: { usage: number; usage_peak: number; total: number }
  /** Used and total bytes of each disk device. */
  disk: Record<string, { usage: number; total: number }> | null
  network: Record<
    string,
    {
      addresses: InstanceAddress[]
      counters: { bytes_received: number; bytes_sent: number }
      hwaddr: string
      state: string
      type: string
    }
  > | null
}

export interface NewInstance {
  name: string
  image: string
  type?: InstanceType
  description?: string
  profiles?: string[]
  config?: Record<string, string>
  devices?: Record<string, Device>
  start?: boolean
  target?: string
}

export interface InstanceChange {
  description?: string
  profiles?: string[]
  config?: Record<string, string>
  devices?: Record<string, Device>
}

export type StateAction = 'start' | 'stop' | 'restart' | 'freeze' | 'unfreeze'

export interface FileOptions {
  uid?: number
  gid?: number
  /** File mode as octal text such as `0644`. */
  mode?: string
}

export type InstanceFile =
  | { type: 'file'; uid: number; gid: number; mode: string; content: Readable }
  | { type: 'symlink'; uid: number; gid: number; mode: string; content: Readable }
  | { type: 'directory'; uid: number; gid: number; mode: string; entries: string[] }

export class Instances {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async list(): Promise<Instance[]> {
    const query = { recursion: 1 }
    return (await this.#transport.request<Instance[]>('GET', '/1.0/instances', { query })).metadata
  }

  async listWithState(): Promise<(Instance & { state: InstanceState })[]> {
    const query = { recursion: 2 }
    const path = '/1.0/instances'
    type Full = Instance & { state: InstanceState }
    return (await this.#transport.request<Full[]>('GET', path, { query })).metadata
  }

  async get(name: string): Promise<Instance> {
    return (await this.getWithEtag(name)).instance
  }

  async getWithEtag(name: string): Promise<{ instance: Instance; etag: string }> {
    const { metadata, etag } = await this.#transport.request<Instance>('GET', instancePath(name))
    return { instance: metadata, etag }
  }

  async create(wanted: NewInstance): Promise<Operation> {
    const { image, target, type = 'container', ...rest } = wanted
    const json = { ...rest, type, source: { type: 'image', alias: image } }
    return this.#operation('POST', '/1.0/instances', { json, query: { target } })
  }

  /**
   * Changes only the passed properties and config keys.
   * @throws IncusError `stale` if the instance no longer has `etag`
   */
  async patch(name: string, change: InstanceChange, etag?: string): Promise<void> {
    await this.#transport.request('PATCH', instancePath(name), { json: change, etag })
  }

  /**
   * Changes an instance like `patch`, but retries while the instance stops or restarts, because Incus rejects changes
   * during that time.
   * @throws IncusError of the last attempt
   */
  async patchWhenIdle(name: string, change: InstanceChange, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      try {
        return await this.patch(name, change)
      } catch (error) {
        if (!isIncusError(error) || !BUSY.test(error.message) || Date.now() > deadline) throw error
        await sleep(BUSY_POLL_MS)
      }
    }
  }

  /**
   * Sets limits immediately. Omitted limits stay unchanged. Incus before 6.0.5 has a bug: it assigns processors
   * according to the previous value of the setting, and ignores a write of an equal value. So this function writes the
   * number twice, in two spellings.
   * @param limits number of processors, and bytes of memory
   */
  async setLimits(name: string, limits: { cpu?: number; memory?: number }): Promise<void> {
    const config: Record<string, string> = {}
    if (limits.memory !== undefined) config['limits.memory'] = `${limits.memory}B`
    if (limits.cpu === undefined) return this.patch(name, { config })
    await this.patch(name, { config: { ...config, 'limits.cpu': `0${limits.cpu}` } })
    await this.patch(name, { config: { 'limits.cpu': String(limits.cpu) } })
  }

  /** Replaces an instance's properties and removes omitted ones. */
  async replace(
    name: string,
    change: Required<InstanceChange> & { architecture?: string; ephemeral?: boolean },
    etag?: string
  ): Promise<Operation> {
    return this.#operation('PUT', instancePath(name), { json: change, etag })
  }

  /** The instance must be stopped. */
  async rename(name: string, newName: string): Promise<Operation> {
    return this.#operation('POST', instancePath(name), { json: { name: newName } })
  }

  async delete(name: string): Promise<Operation> {
    return this.#operation('DELETE', instancePath(name))
  }

  async state(name: string): Promise<InstanceState> {
    const path = `${instancePath(name)}/state`
    return (await this.#transport.request<InstanceState>('GET', path)).metadata
  }

  /** A clean shutdown fails after `timeout` seconds (-1: no limit). `force` stops the instance without a shutdown. */
  async setState(
    name: string,
    action: StateAction,
    { force = false, timeout = 30 }: { force?: boolean; timeout?: number } = {}
  ): Promise<Operation> {
    const json = { action, force, timeout, stateful: false }
    return this.#operation('PUT', `${instancePath(name)}/state`, { json })
  }

  exec(
    name: string,
    argv: string[],
    options: Parameters<typeof exec>[3] = {}
  ): Promise<ExecResult> {
    return exec(this.#transport, name, argv, options)
  }

  execStreams(name: string, argv: string[], options: ExecOptions = {}): Promise<ExecStreams> {
    return execStreams(this.#transport, name, argv, options)
  }

  shell(
    name: string,
    argv: string[],
    options: Parameters<typeof execInTerminal>[3] = {}
  ): Promise<ExecTerminal> {
    return execInTerminal(this.#transport, name, argv, options)
  }

  async pullFile(name: string, path: string): Promise<InstanceFile> {
    const response = await this.#transport.raw('GET', `${instancePath(name)}/files`, {
      query: { path },
    })
    const text = (key: string) => String(response.headers[key] ?? '')
    if (response.statusCode !== 200) {
      const answer = (await response.body.json().catch(() => ({}))) as { error?: string }
      throw IncusError.fromAnswer(response.statusCode, answer.error ?? 'No such file')
    }
    const attributes = {
      uid: Number(text('x-incus-uid') || 0),
      gid: Number(text('x-incus-gid') || 0),
      mode: text('x-incus-mode'),
    }
    const type = text('x-incus-type')
    if (type === 'directory') {
      const answer = JSON.parse(await this.#transport.readText(response)) as {
        metadata: string[] | null
      }
      return { type, ...attributes, entries: answer.metadata ?? [] }
    }
    return { type: type === 'symlink' ? 'symlink' : 'file', ...attributes, content: response.body }
  }

  async pushFile(
    name: string,
    path: string,
    content: Buffer | string | Readable,
    options: FileOptions = {}
  ): Promise<void> {
    await this.#push(name, path, 'file', content, options)
  }

  /** The parent folder must exist. */
  async makeDirectory(name: string, path: string, options: FileOptions = {}): Promise<void> {
    await this.#push(name, path, 'directory', undefined, options)
  }

  async deleteFile(name: string, path: string): Promise<void> {
    await this.#transport.request('DELETE', `${instancePath(name)}/files`, { query: { path } })
  }

  /**
   * Creates an export of an instance without its snapshots. Its Incus server stores the export, and deletes it after a
   * day.
   * @param backup the name of the export
   */
  async createBackup(name: string, backup: string): Promise<Operation> {
    const json = {
      name: backup,
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      instance_only: true,
      // Uncompressed, so that restic can detect data that did not change since the previous export.
      optimized_storage: false,
      compression_algorithm: 'none',
    }
    return this.#operation('POST', `${instancePath(name)}/backups`, { json })
  }

  /** Streams the export as a tar file. `size` is in bytes. */
  async exportBackup(name: string, backup: string): Promise<{ size: number; content: Readable }> {
    const path = `${instancePath(name)}/backups/${encodeURIComponent(backup)}/export`
    const response = await this.#transport.raw('GET', path)
    if (response.statusCode !== 200) {
      const answer = (await response.body.json().catch(() => ({}))) as { error?: string }
      throw IncusError.fromAnswer(response.statusCode, answer.error ?? 'No such export')
    }
    return { size: Number(response.headers['content-length']), content: response.body }
  }

  async deleteBackup(name: string, backup: string): Promise<Operation> {
    return this.#operation('DELETE', `${instancePath(name)}/backups/${encodeURIComponent(backup)}`)
  }

  /** Creates a stopped instance from an export. */
  async importBackup(name: string, content: Readable, pool?: string): Promise<Operation> {
    const headers: Record<string, string> = {
      'content-type': 'application/octet-stream',
      'x-incus-name': name,
      ...(pool && { 'x-incus-pool': pool }),
    }
    return this.#operation('POST', '/1.0/instances', { body: content, headers, timeout: 3_600 })
  }

  async #push(
    name: string,
    path: string,
    type: 'file' | 'directory',
    body: Buffer | string | Readable | undefined,
    { uid = 0, gid = 0, mode }: FileOptions
  ): Promise<void> {
    const headers: Record<string, string> = {
      'x-incus-type': type,
      'x-incus-uid': String(uid),
      'x-incus-gid': String(gid),
      'content-type': 'application/octet-stream',
    }
    headers['x-incus-mode'] = mode ?? (type === 'file' ? '0644' : '0755')
    if (type === 'file') headers['x-incus-write'] = 'overwrite'
    const options = { query: { path }, headers, body, timeout: 600 }
    await this.#transport.request('POST', `${instancePath(name)}/files`, options)
  }

  async #operation(
    method: string,
    path: string,
    options: Parameters<Transport['request']>[2] = {}
  ): Promise<Operation> {
    const { operation } = await this.#transport.request(method, path, options)
    return operationFromPath(this.#transport, operation)
  }
}

function instancePath(name: string): string {
  return `/1.0/instances/${encodeURIComponent(name)}`
}

import type { Transport } from './transport.ts'

export interface StoragePool {
  name: string
  driver: 'btrfs' | 'dir' | 'zfs' | 'lvm' | string
  description: string
  status: string
  config: Record<string, string>
  used_by: string[]
}

/** Space of a storage pool in bytes, and its number of inodes. */
export interface PoolResources {
  space: { used: number; total: number }
  inodes: { used: number; total: number }
}

export class StoragePools {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async list(): Promise<StoragePool[]> {
    const query = { recursion: 1 }
    return (await this.#transport.request<StoragePool[]>('GET', '/1.0/storage-pools', { query }))
      .metadata
  }

  async get(name: string): Promise<StoragePool> {
    return (await this.#transport.request<StoragePool>('GET', poolPath(name))).metadata
  }

  async create(pool: {
    name: string
    driver: string
    description?: string
    config?: Record<string, string>
  }): Promise<void> {
    await this.#transport.request('POST', '/1.0/storage-pools', { json: pool, timeout: 300 })
  }

  async patch(name: string, change: { config?: Record<string, string> }): Promise<void> {
    await this.#transport.request('PATCH', poolPath(name), { json: change })
  }

  async delete(name: string): Promise<void> {
    await this.#transport.request('DELETE', poolPath(name))
  }

  async resources(name: string): Promise<PoolResources> {
    const path = `${poolPath(name)}/resources`
    return (await this.#transport.request<PoolResources>('GET', path)).metadata
  }
}

function poolPath(name: string): string {
  return `/1.0/storage-pools/${encodeURIComponent(name)}`
}

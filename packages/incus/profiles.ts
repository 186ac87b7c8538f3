import type { Device } from './instances.ts'
import type { Transport } from './transport.ts'

export interface Profile {
  name: string
  description: string
  config: Record<string, string>
  devices: Record<string, Device>
  used_by: string[]
}

export class Profiles {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async list(): Promise<Profile[]> {
    const query = { recursion: 1 }
    return (await this.#transport.request<Profile[]>('GET', '/1.0/profiles', { query })).metadata
  }

  async get(name: string): Promise<Profile> {
    return (await this.#transport.request<Profile>('GET', profilePath(name))).metadata
  }

  async create(profile: Pick<Profile, 'name'> & Partial<Profile>): Promise<void> {
    await this.#transport.request('POST', '/1.0/profiles', { json: profile })
  }

  /** Replaces what can be written. */
  async replace(
    name: string,
    profile: Pick<Profile, 'description' | 'config' | 'devices'>
  ): Promise<void> {
    await this.#transport.request('PUT', profilePath(name), { json: profile })
  }

  async delete(name: string): Promise<void> {
    await this.#transport.request('DELETE', profilePath(name))
  }
}

function profilePath(name: string): string {
  return `/1.0/profiles/${encodeURIComponent(name)}`
}

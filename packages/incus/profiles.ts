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

  async get(name: string): Promise<Profile> {
    return (await this.#transport.request<Profile>('GET', profilePath(name))).metadata
  }

  async replace(
    name: string,
    profile: Pick<Profile, 'description' | 'config' | 'devices'>
  ): Promise<void> {
    await this.#transport.request('PUT', profilePath(name), { json: profile })
  }
}

function profilePath(name: string): string {
  return `/1.0/profiles/${encodeURIComponent(name)}`
}

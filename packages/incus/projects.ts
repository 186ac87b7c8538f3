import type { Transport } from './transport.ts'

export interface Project {
  name: string
  description: string
  config: Record<string, string>
  used_by: string[]
}

export class Projects {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async list(): Promise<Project[]> {
    const query = { recursion: 1 }
    return (await this.#transport.request<Project[]>('GET', '/1.0/projects', { query })).metadata
  }

  async create(project: Pick<Project, 'name'> & Partial<Project>): Promise<void> {
    await this.#transport.request('POST', '/1.0/projects', { json: project })
  }

  async delete(name: string): Promise<void> {
    await this.#transport.request('DELETE', `/1.0/projects/${encodeURIComponent(name)}`)
  }
}

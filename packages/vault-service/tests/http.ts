import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { request, type Agent, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ControlClient } from '../control/client.js'
import { bodiesFolder, countsFolder } from '../folders.js'
import { newShared, Serving, type ServiceOptions, type Shared } from '../thread.js'
import type { ObjectFacts, StoredObject } from '../types.js'
import { makeVault, toldInTests, type MadeVault } from './service.js'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

export interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: Buffer | string
  /** From another address of this machine. */
  from?: string
  agent?: Agent
}

/** One request whose path is sent as it stands here. */
export function ask(url: string, path: string, asked: Asked = {}): Promise<Answer> {
  const { method = 'GET', headers, body, from, agent } = asked
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, method, headers, localAddress: from, agent }
    const sending = request(options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const whole = Buffer.concat(chunks)
        const { statusCode = 0, headers } = answer
        resolve({ status: statusCode, headers, body: whole, text: whole.toString() })
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

/** What a thread of the service serves, on the real database and a folder of its own, without upkeep. */
export class TestServing {
  readonly #shared: Shared

  private constructor(
    readonly serving: Serving,
    readonly folder: string,
    readonly url: string,
    shared: Shared
  ) {
    this.#shared = shared
  }

  /** `beside`: another thread of the same service. */
  static async start(
    beside?: TestServing,
    told: Partial<ServiceOptions> = {}
  ): Promise<TestServing> {
    const folder = beside?.folder ?? (await mkdtemp(join(tmpdir(), 'berth-http-')))
    for (const path of [bodiesFolder(folder), countsFolder(folder)]) {
      await mkdir(path, { recursive: true })
    }
    const shared = (beside ? beside.#shared : undefined) ?? newShared()
    const serving = new Serving({ ...toldInTests(folder), ...told }, shared, () => {})
    const port = await serving.listen()
    return new TestServing(serving, folder, `http://127.0.0.1:${port}`, shared)
  }

  get control(): ControlClient {
    return new ControlClient({ url: this.url, key: process.env.VAULT_CONTROL_KEY! })
  }

  makeVault(): Promise<MadeVault> {
    return makeVault(this)
  }

  async put(
    { id }: { id: number },
    name: string,
    body: Buffer | string,
    facts: Partial<ObjectFacts> = {}
  ): Promise<StoredObject> {
    const vault = (await this.serving.store.vaultById(id))!
    const received = await this.serving.store.receive(vault, once(Buffer.from(body)))
    const all = { type: 'text/plain', headers: {}, meta: {}, checksums: {}, ...facts }
    return this.serving.store.put(vault, name, received, all)
  }

  ask(path: string, asked?: Asked): Promise<Answer> {
    return ask(this.url, path, asked)
  }

  /** Bodies that are there, files and rows. */
  async bodies(): Promise<number> {
    const found = await readdir(bodiesFolder(this.folder), { recursive: true, withFileTypes: true })
    const rows = await this.serving.database.rows('select from vault.bodies')
    return found.filter((entry) => entry.isFile()).length + rows.length
  }

  async end(): Promise<void> {
    await this.serving.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

async function* once(body: Buffer): AsyncIterable<Buffer> {
  yield body
}

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { request, type Agent, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VaultControlClient } from '../control/client.js'
import { bodiesFolder, requestCountsFolder } from '../folders.js'
import {
  createSharedMemory,
  ServingThread,
  type ServingThreadOptions,
  type SharedMemory,
} from '../serving_thread.js'
import type { ObjectMetadata, StoredObject } from '../types.js'
import { createTestVault, testServiceOptions, type CreatedVault } from './test_service.js'

export interface TestResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

export interface TestRequest {
  method?: string
  headers?: Record<string, string>
  body?: Buffer | string
  from?: string
  agent?: Agent
}

/** Sends a request without normalizing its path. `fetch` would normalize it. */
export function sendRequest(
  url: string,
  path: string,
  asked: TestRequest = {}
): Promise<TestResponse> {
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

/** A serving thread for tests, with the real database and a separate folder. Maintenance does not run. */
export class TestServing {
  readonly #shared: SharedMemory

  private constructor(
    readonly serving: ServingThread,
    readonly folder: string,
    readonly url: string,
    shared: SharedMemory
  ) {
    this.#shared = shared
  }

  /** @param beside another thread of the same service, whose folder and memory the new thread shares */
  static async start(
    beside?: TestServing,
    told: Partial<ServingThreadOptions> = {}
  ): Promise<TestServing> {
    const folder = beside?.folder ?? (await mkdtemp(join(tmpdir(), 'berth-http-')))
    for (const path of [bodiesFolder(folder), requestCountsFolder(folder)]) {
      await mkdir(path, { recursive: true })
    }
    const shared = (beside ? beside.#shared : undefined) ?? createSharedMemory()
    const serving = new ServingThread({ ...testServiceOptions(folder), ...told }, shared, () => {})
    const port = await serving.listen()
    return new TestServing(serving, folder, `http://127.0.0.1:${port}`, shared)
  }

  get control(): VaultControlClient {
    return new VaultControlClient({ url: this.url, key: process.env.VAULT_CONTROL_KEY! })
  }

  makeVault(): Promise<CreatedVault> {
    return createTestVault(this)
  }

  async put(
    { id }: { id: number },
    name: string,
    body: Buffer | string,
    facts: Partial<ObjectMetadata> = {}
  ): Promise<StoredObject> {
    const vault = (await this.serving.store.vaultById(id))!
    const received = await this.serving.store.receive(vault, once(Buffer.from(body)))
    const all = { type: 'text/plain', headers: {}, meta: {}, checksums: {}, ...facts }
    return this.serving.store.put(vault, name, received, all)
  }

  ask(path: string, asked?: TestRequest): Promise<TestResponse> {
    return sendRequest(this.url, path, asked)
  }

  /** Returns the number of stored bodies: files and rows. */
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

import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomInt } from 'node:crypto'
import { VaultControlClient } from '../control/client.js'
import { folderMarkerFile } from '../folders.js'
import { startVaultService, type VaultService } from '../main.js'
import type { BucketOptions } from '../store/s3_body_storage.js'

export interface TestService extends VaultService {
  url: string
  control: VaultControlClient
  folder: string
  logged: object[]
}

let running: Promise<TestService> | undefined

/**
 * Starts the vault service that all tests in this process share, because only one service can use the database. It runs
 * in this process, on VAULT_PORT.
 * @param bucket external bucket for the bodies. Ignored if the service is already running
 */
export function sharedVaultService(bucket?: BucketOptions): Promise<TestService> {
  return (running ??= start(bucket))
}

/** Stops the shared service. Called when all tests have ended, or before a test starts a service itself. */
export async function stopVaultService(): Promise<void> {
  const service = await running
  running = undefined
  await service?.stop()
}

/** Makes a service accept this folder, although the shared database tables belong to another folder. */
export function adoptFolder(folder: string): void {
  if (!existsSync(folderMarkerFile(folder))) writeFileSync(folderMarkerFile(folder), 'adopt')
}

/** Returns the options of a service, and makes services accept the folder. Port 0: any free port. */
export function testServiceOptions(folder: string, port = 0) {
  adoptFolder(folder)
  return {
    host: '127.0.0.1',
    port,
    folder,
    reserve: 0,
    databaseUrl: process.env.VAULT_DATABASE_URL!,
    key: process.env.VAULT_KEY!,
    controlKey: process.env.VAULT_CONTROL_KEY!,
  }
}

async function start(bucket?: BucketOptions): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-vault-'))
  const logged: object[] = []
  const service = await startVaultService({
    ...testServiceOptions(folder, Number(process.env.VAULT_PORT)),
    bucket,
    log(entry) {
      logged.push(entry)
      if (process.env.VAULT_LOG) process.stderr.write(`${JSON.stringify(entry)}\n`)
    },
  })
  const url = `http://127.0.0.1:${service.port}`
  return {
    ...service,
    url,
    folder,
    logged,
    control: new VaultControlClient({ url, key: process.env.VAULT_CONTROL_KEY! }),
    async stop() {
      await service.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export interface CreatedVault {
  id: number
  accountId: number
  key: string
  secret: string
}

/** The next ID of a test vault, greater than the IDs of the console's vaults. */
let next = randomInt(1_000_000_000, 2_000_000_000)

export async function createTestVault(
  service: Pick<TestService, 'control'>
): Promise<CreatedVault> {
  const id = next++
  const accountId = id
  const key = `t${id.toString(36)}${randomInt(36 ** 8).toString(36)}`
  const { secret } = await service.control.call('makeVault', { id, accountId, key })
  return { id, accountId, key, secret }
}

import type Person from '#identity/models/person'
import { actorOf } from '#tests/support/people'
import { createVault as make } from '#vault/actions/create_vault'
import type Vault from '#vault/models/vault'
import {
  stopVaultService,
  type TestService,
  sharedVaultService,
} from '#packages/vault-service/tests/test_service'
import app from '@adonisjs/core/services/app'
import { randomUUID } from 'node:crypto'

let stops = false

/** Starts the vault service on the first call. Later calls return the same one. It stops with this process. */
export async function startTestVaultService(): Promise<TestService> {
  if (!stops) app.terminating(() => stopVaultService())
  stops = true
  return sharedVaultService()
}

export const freshName = () => `vault-${randomUUID().slice(0, 8)}`

export async function makeVault(customer: Person, name = freshName()): Promise<Vault> {
  await startTestVaultService()
  return make(await actorOf(customer), name)
}

export async function upload(vault: Vault, folder: string, filename: string, text = 'text') {
  const { url } = await startTestVaultService()
  const form = new FormData()
  if (folder) form.append('folder', folder)
  form.append('file', new Blob([text]), filename)
  return fetch(`${url}/upload`, {
    method: 'POST',
    headers: { 'x-access-key-id': String(vault.accountId), 'x-secret-key': vault.secretKey! },
    body: form,
  })
}

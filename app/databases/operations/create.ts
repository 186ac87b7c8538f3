import { pendingPasswordExpired } from '#databases/errors'
import type { Engine } from '#databases/engines'
import { syncServer } from '#databases/servers/sync_server'
import { installOrStartServer } from '#databases/operations/server_actions'
import { loadServer } from '#databases/operations/load_server'
import { databaseDriver } from '#databases/servers/drivers'
import { defineOperation } from '#core/operations/operations'
import encryption from '@adonisjs/core/services/encryption'

const ENCRYPTION_PURPOSE = 'database.password'

/** Encrypts a password that a queued operation needs. The result can be decrypted for a day. */
export const encryptPendingPassword = (password: string): string =>
  encryption.encrypt(password, { expiresIn: '24h', purpose: ENCRYPTION_PURPOSE })

interface CreateInput {
  engine: Engine
  accountId: number
  /** Null for the managed server. */
  instanceId: number | null
  database: string
  username: string
  /** Encrypted. Null after the operation has ended. */
  password: string | null
}

export const createDatabaseOperation = defineOperation<CreateInput>({
  kind: 'database.create',
  queue: 'guest',
  steps: [
    { key: 'server', label: 'Check the database server', run: installOrStartServer },
    {
      key: 'names',
      label: 'Check that the names are not used yet',
      async run(input) {
        const server = await loadServer(input)
        const { database, username } = input
        await databaseDriver(server).accounts.assertFree(server, { database, username })
      },
    },
    {
      key: 'make',
      label: 'Create the database and its user',
      async run(input) {
        const server = await loadServer(input)
        const password =
          input.password && encryption.decrypt<string>(input.password, ENCRYPTION_PURPOSE)
        if (!password) throw pendingPasswordExpired()
        const { database, username } = input
        await databaseDriver(server).accounts.create(server, { database, username, password })
      },
    },
    {
      key: 'list',
      label: 'Add the database to the list',
      async run(input, { operation, saveState }) {
        const server = await loadServer(input)
        const rows = await syncServer(server)
        await saveState('id', rows.find(({ name }) => name === input.database)?.id ?? null)
        operation.input = { ...operation.input, password: null }
        await operation.save()
      },
    },
  ],
  result: async (_input, { state }) => ({ id: state.id ?? null }),
  async failed(_input, _reason, { operation }) {
    operation.input = { ...operation.input, password: null }
    await operation.save()
  },
})

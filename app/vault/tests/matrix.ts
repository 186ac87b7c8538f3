import Vault from '#vault/models/vault'
import { makeVault } from '#vault/tests/fixtures'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'

/**
 * Returns the account's active vault. Creates one only if there is none, because an account can have only a limited
 * number of vaults.
 */
async function vaultOf({ customer }: MatrixPeople): Promise<Vault> {
  const mine = Vault.query().where({ accountId: customer.id, status: 'active' })
  return (await mine.first()) ?? makeVault(customer)
}

const pageOf = async (cast: MatrixPeople) => ({
  params: { id: (await vaultOf(cast)).id },
  query: 'name=a.txt',
})

const call = (body: object) => async (cast: MatrixPeople) => ({
  body: { id: (await vaultOf(cast)).id, ...body },
})

const object = (body: object) => async (cast: MatrixPeople) => ({
  body: { vault_id: (await vaultOf(cast)).id, ...body },
})

const none = { type: 'file', path: 'none' }

const rows: MatrixRow[] = [
  ['GET /vault', 'page', '302 302 302 302 302 302 403'],
  ['GET /vault/list', 'page', '302 200 200 302 302'],
  ['GET /vault/:id', 'page', '302 200 404 302 302', pageOf],
  ['GET /vault/:id/objects', 'call', '401 200 404 401 401', pageOf],
  ['GET /vault/:id/open', 'call', '401 302 404 401 401', pageOf],
  ['GET /vault/:id/keys', 'call', '401 200 404 401 401', pageOf],
  ['GET /vault/:id/usage', 'call', '401 200 404 401 401', pageOf],
  ['GET /vault/:id/upkeep', 'call', '401 200 404 401 401', pageOf],
  ['POST /vault/store', 'call', '401 422 422 401 401', () => ({ body: { name: 'a' } })],
  ['POST /vault/delete', 'call', '401 422 404 401 401', call({ name: 'another' })],
  [
    'POST /vault/object/store',
    'call',
    '401 422 404 401 401',
    object({ type: 'folder', name: 'a/b', path: '' }),
  ],
  ['POST /vault/object/delete', 'call', '401 200 404 401 401', object(none)],
  ['POST /vault/object/delete-many', 'call', '401 200 404 401 401', object({ files: ['none'] })],
  ['POST /vault/object/upload', 'call', '401 200 404 401 401', object({ name: 'a', size: 1 })],
  ['POST /vault/object/share', 'call', '401 200 404 401 401', object({ name: 'a', expires: 3600 })],
  ['POST /vault/secret', 'call', '401 200 404 401 401', call({})],
  ['POST /vault/secret/rotate', 'call', '401 200 404 401 401', call({ overlap: 0 })],
  ['POST /vault/key/store', 'call', '401 201 404 401 401', call({ name: 'k', read_only: true })],
  ['POST /vault/key/rotate', 'call', '401 422 404 401 401', call({ key_id: 1, overlap: 5 })],
  ['POST /vault/key/remove', 'call', '401 422 404 401 401', call({ key_id: 'one' })],
  ['POST /vault/update', 'call', '401 200 404 401 401', call({ is_private: true })],
  ['POST /vault/links/end', 'call', '401 200 404 401 401', call({})],
  ['POST /vault/upload/abort', 'call', '401 422 404 401 401', call({})],
  ['GET /admin/vault/list', 'page', '302 302 302 200 200'],
  ['GET /admin/vault/stores', 'call', '401 401 401 403 200'],
  ['POST /admin/vault/move', 'call', '401 401 401 403 409', call({ store: 'bucket' })],
  ['POST /admin/vault/suspend', 'call', '401 401 401 403 200', call({ reason: 'Abuse' })],
  ['POST /admin/vault/resume', 'call', '401 401 401 403 409', call({})],
]

export default rows

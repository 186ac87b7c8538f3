import { resumeAccount, suspendAccount } from '#accounts/actions/suspend_and_resume'
import type Person from '#identity/models/person'
import { syncAllVaults } from '#vault/actions/sync_vaults'
import { MAX_VAULTS } from '#vault/limits'
import Vault from '#vault/models/vault'
import { health } from '#vault/monitoring'
import { freshName, makeVault, startTestVaultService, upload } from '#vault/tests/fixtures'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { startRejectingServer } from '#packages/vault-service/rejecting_server'
import type { TestService } from '#packages/vault-service/tests/test_service'
import env from '#start/env'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import { assertPagesAnswerMeanwhile, startSilentServer } from '#tests/support/silent_server'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

const nowhere = 'http://127.0.0.1:65533'

/** Changes the URL of the vault service until the end of the test. By default, the service is then unreachable. */
function takeAway(cleanup: (undo: () => void) => void, instead = nowhere): void {
  const url = env.get('VAULT_CONTROL_URL')
  env.set('VAULT_CONTROL_URL', instead)
  cleanup(() => env.set('VAULT_CONTROL_URL', url))
}

const rowsOf = async (visitor: Visitor) =>
  (await visitor.page('/vault/list')).json.props!.vaults as Record<string, unknown>[]

const logOf = async (vault: Pick<Vault, 'id'>) => {
  const subject = { subject_type: 'vault', subject_id: String(vault.id) }
  const entries = await db.from('audit_entries').where(subject).orderBy('id')
  return entries.map(({ action }) => action as string)
}

test.group('Vaults', (group) => {
  failOnSecondConnections(group)
  let service: TestService
  let customer: Person
  let visitor: Visitor

  group.setup(async () => void (service = await startTestVaultService()))
  group.each.setup(async () => {
    customer = await makeCustomer()
    visitor = await signIn(customer)
  })

  test('have a key and a secret that programs can use immediately', async ({ assert }) => {
    const name = freshName()
    const { status, json, headers } = await visitor.post('/vault/store', { name })
    assert.equal(status, 201)
    assert.equal(headers.get('cache-control'), 'no-store')
    const { id, key, access_key_id: number, secret_key: secret } = json.data as never
    assert.match(key, /^[a-z][a-z0-9]{19}$/)
    assert.equal(number, customer.id)
    const vault = await Vault.findOrFail(id)
    assert.equal(vault.secretKey, secret)
    assert.equal((await upload(vault, 'a/b', 'c.txt', 'Hello')).status, 200)
    const read = await fetch(`${service.url}/${vault.key}/a/b/c.txt`)
    assert.equal(await read.text(), 'Hello')
    assert.deepEqual(await logOf(vault), ['vault.store'])
    const raw = await db.from('vaults').where({ id }).first()
    assert.notInclude(raw.secret_key, secret)
  })

  test('are listed as specified, without the secret', async ({ assert }) => {
    const vault = await makeVault(customer)
    const { text, json } = await visitor.page('/vault/list')
    const [row] = json.props!.vaults as Record<string, unknown>[]
    const month = new Date().toISOString().slice(0, 7)
    assert.containSubset(row, {
      id: vault.id,
      name: vault.name,
      key: vault.key,
      status: 'active',
      secret_key: '••••••••',
      request_count: { [month]: 0 },
    })
    assert.containSubset(json.props, { accessKeyId: customer.id, vaultHost: service.url })
    assert.notInclude(text, vault.secretKey!)
    const page = await visitor.page(`/vault/${vault.id}`)
    assert.notInclude(page.text, vault.secretKey!)
    assert.containSubset(page.json.props, {
      cdnHost: service.url,
      accessKeyId: customer.id,
      path: '',
      objects: { folders: [], files: [] },
    })
    const told = await visitor.post('/vault/secret', { id: vault.id })
    assert.equal(told.json.data!.secret_key, vault.secretKey)
    assert.include(await logOf(vault), 'vault.secret')
  })

  test('are not created with a taken or invalid name, or above the limit', async ({ assert }) => {
    const vault = await makeVault(customer)
    for (const name of [vault.name, 'ab', 'Has Spaces', 'x'.repeat(41), undefined]) {
      const { status, json } = await visitor.post('/vault/store', { name })
      assert.equal(status, 422)
      assert.property(json.errors, 'name')
    }
    const rest = Array.from({ length: MAX_VAULTS - 1 }, (_one, index) => ({
      accountId: customer.id,
      name: `full-${index}`,
      key: `${vault.key}${index}`,
      status: 'active' as const,
      requestCount: {},
    }))
    await Vault.createMany(rest)
    const { status, json } = await visitor.post('/vault/store', { name: freshName() })
    assert.equal(status, 409)
    assert.include(json.message, '50 vaults')
  })

  test('a service without its folder is reported on pages, with the reason on the page System', async ({
    assert,
    cleanup,
  }) => {
    assert.deepEqual(await health(), [])
    const reason = '/srv/vault is not the folder of these vaults.'
    const refusing = await startRejectingServer({ host: '127.0.0.1', port: 0 }, reason)
    cleanup(() => refusing.stop())
    takeAway(cleanup, `http://127.0.0.1:${refusing.port}`)
    const { status, json } = await visitor.post('/vault/store', { name: freshName() })
    assert.equal(status, 503)
    assert.match(json.message as string, /^Vaults are not available at the moment/)
    assert.deepEqual(await health(), [{ label: 'Vaults', value: reason, tone: 'loss' }])
  })

  test('are not created while the service is down, and pages say so', async ({
    assert,
    cleanup,
  }) => {
    const vault = await makeVault(customer)
    takeAway(cleanup)
    const { status, json, headers } = await visitor.post('/vault/store', { name: freshName() })
    assert.equal(status, 503)
    assert.equal(json.message, 'The storage service does not respond. Try again in a moment.')
    assert.isOk(headers.get('retry-after'))
    assert.lengthOf(await rowsOf(visitor), 1)
    const page = await visitor.page(`/vault/${vault.id}`)
    assert.equal(page.status, 200)
    assert.containSubset(page.json.props, { problem: json.message, facts: null })
    assert.equal(
      (await visitor.post('/vault/delete', { id: vault.id, name: vault.name })).status,
      503
    )
    assert.equal((await vault.refresh()).status, 'active')
    assert.notInclude(await logOf(vault), 'vault.delete')
  })

  test('do not block other pages while the service is down', async ({ assert, cleanup }) => {
    const vault = await makeVault(customer)
    const silent = await startSilentServer()
    cleanup(() => silent.stop())
    takeAway(cleanup, silent.url)
    const change = [
      () => visitor.post('/vault/store', { name: freshName() }),
      () => visitor.post('/vault/delete', { id: vault.id, name: vault.name }),
    ]
    const statuses = await assertPagesAnswerMeanwhile(
      silent,
      (index) => change[index % 2](),
      () => visitor.page('/vault/list')
    )
    assert.deepEqual([...new Set(statuses)], [503])
    assert.lengthOf(await rowsOf(visitor), 1)
  })

  test('are deleted by their typed name, with all objects', async ({ assert }) => {
    const vault = await makeVault(customer)
    await upload(vault, '', 'a.txt')
    const wrong = await visitor.post('/vault/delete', { id: vault.id, name: 'another' })
    assert.equal(wrong.status, 422)
    assert.equal(
      (await visitor.post('/vault/delete', { id: vault.id, name: vault.name })).status,
      200
    )
    assert.equal((await fetch(`${service.url}/${vault.key}/a.txt`)).status, 404)
    assert.isNull((await vault.refresh()).secretKey)
    assert.equal((await visitor.get(`/vault/${vault.id}`)).status, 404)
    assert.isEmpty(await rowsOf(visitor))
    assert.equal((await visitor.post('/vault/store', { name: vault.name })).status, 201)
  })

  test('vaults of a suspended account are read-only until it is resumed', async ({ assert }) => {
    const vault = await makeVault(customer)
    await upload(vault, '', 'a.txt')
    await suspendAccount(customer.id, 'Not paid', { actor: null })
    assert.equal((await upload(vault, '', 'b.txt')).status, 403)
    assert.equal((await fetch(`${service.url}/${vault.key}/a.txt`)).status, 200)
    assert.equal((await visitor.page(`/vault/${vault.id}`)).status, 200)
    const open = await visitor.get(`/vault/${vault.id}/open?name=a.txt`)
    assert.equal(open.status, 302)
    const body = { vault_id: vault.id, type: 'folder', name: 'f', path: '' }
    assert.equal((await visitor.post('/vault/object/store', body)).status, 403)
    await resumeAccount(customer.id, { actor: null })
    assert.equal((await upload(vault, '', 'b.txt')).status, 200)
  })

  test('a vault suspended by staff serves nothing, whatever the account’s status', async ({
    assert,
  }) => {
    const vault = await makeVault(customer)
    await upload(vault, '', 'a.txt')
    const address = `${service.url}/${vault.key}/a.txt`
    const staff = await signIn(await makeStaff())
    const suspend = { id: vault.id, reason: 'Abuse' }
    assert.equal((await staff.post('/admin/vault/suspend', { id: vault.id })).status, 422)
    assert.equal((await staff.post('/admin/vault/suspend', suspend)).status, 200)
    assert.equal((await staff.post('/admin/vault/suspend', suspend)).status, 409)
    assert.equal((await fetch(address)).status, 403)
    const [row] = await rowsOf(visitor)
    assert.containSubset(row, { status: 'suspended', secret_key: null })
    const refused = await visitor.post('/vault/secret', { id: vault.id })
    assert.equal(refused.status, 409)
    assert.include(refused.json.message, 'Abuse')

    await suspendAccount(customer.id, 'Not paid', { actor: null })
    await resumeAccount(customer.id, { actor: null })
    assert.equal((await fetch(address)).status, 403)
    await suspendAccount(customer.id, 'Not paid', { actor: null })
    assert.equal((await staff.post('/admin/vault/resume', { id: vault.id })).status, 200)
    assert.equal((await fetch(address)).status, 200)
    assert.equal((await upload(vault, '', 'b.txt')).status, 403)
    await resumeAccount(customer.id, { actor: null })
    assert.equal((await upload(vault, '', 'b.txt')).status, 200)
    const log = await logOf(vault)
    assert.includeMembers(log, ['vault.suspend', 'vault.resume'])
  })

  test('are synchronized after an outage of the service, and keep their counts', async ({
    assert,
    cleanup,
  }) => {
    const vault = await makeVault(customer)
    await upload(vault, '', 'a.txt', 'four')
    const url = env.get('VAULT_CONTROL_URL')
    env.set('VAULT_CONTROL_URL', nowhere)
    cleanup(() => env.set('VAULT_CONTROL_URL', url))
    await suspendAccount(customer.id, 'Not paid', { actor: null })
    env.set('VAULT_CONTROL_URL', url)
    assert.equal((await upload(vault, '', 'b.txt')).status, 200)
    await service.fold()
    await syncAllVaults(new AbortController().signal)
    assert.equal((await upload(vault, '', 'c.txt')).status, 403)
    const [row] = await rowsOf(visitor)
    assert.containSubset(row, { bytes: 8, objects: 2 })
    assert.isAbove(Object.values(row.request_count as Record<string, number>)[0], 1)
    const staff = await signIn(await makeStaff('support'))
    const list = await staff.page(`/admin/vault/list?search=${vault.key}`)
    assert.containSubset(list.json.props!.vaults, [
      { name: vault.name, bytes: 8, objects: 2, customer: { id: customer.id } },
    ])
    assert.notInclude(list.text, 'secret_key')
  })
})

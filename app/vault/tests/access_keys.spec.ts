import type Person from '#identity/models/person'
import usage from '#vault/schedules/record_vault_usage'
import type Vault from '#vault/models/vault'
import { makeVault, startTestVaultService, upload } from '#vault/tests/fixtures'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import { UsageEvent } from '#catalog/public'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import pg from 'pg'

interface Key {
  id: number
  access_key_id: string | null
  name: string
  read_only: boolean
  expires_at: string | null
}

test.group('Keys, settings and usage of a vault', (group) => {
  failOnSecondConnections(group)
  let customer: Person
  let visitor: Visitor
  let vault: Vault

  group.each.setup(async () => {
    await startTestVaultService()
    customer = await makeCustomer()
    visitor = await signIn(customer)
    vault = await makeVault(customer)
  })

  const post = (path: `/vault/${string}`, body: object) =>
    visitor.post(path, { id: vault.id, ...body })
  const keys = async () => (await visitor.get(`/vault/${vault.id}/keys`)).json.data!.keys as Key[]

  test('a replaced secret stays valid for the chosen time', async ({ assert }) => {
    const first = vault.secretKey!
    const turned = await post('/vault/secret/rotate', { overlap: 3_600 })
    const second = turned.json.data!.secret_key as string
    assert.notEqual(second, first)
    await vault.refresh()
    assert.equal(vault.secretKey, second)
    assert.equal((await upload(vault, '', 'new.txt')).status, 200)
    const before = Object.assign(vault, { secretKey: first })
    assert.equal((await upload(before, '', 'old.txt')).status, 200)

    await post('/vault/secret/rotate', { overlap: 0 })
    const ended = Object.assign(vault, { secretKey: second })
    assert.equal((await upload(ended, '', 'ended.txt')).status, 401)
    assert.equal((await post('/vault/secret/rotate', { overlap: 7 })).status, 422)
  })

  test('access keys are created, shown once, rotated and removed', async ({ assert }) => {
    const made = await post('/vault/key/store', { name: 'backups', read_only: true })
    assert.equal(made.status, 201)
    assert.isString(made.json.data!.secret_key)
    const [key] = (await keys()).filter(({ access_key_id: id }) => id !== null)
    assert.containSubset(key, { name: 'backups', read_only: true, expires_at: null })
    assert.equal(key.access_key_id, made.json.data!.access_key_id)
    assert.notProperty(key, 'secret_key')

    const turned = await post('/vault/key/rotate', { key_id: key.id, overlap: 3_600 })
    assert.equal(turned.status, 200)
    const all = (await keys()).filter(({ access_key_id: id }) => id !== null)
    assert.lengthOf(all, 2)
    assert.isString(all.find(({ id }) => id === key.id)!.expires_at)
    for (const { id } of all)
      assert.equal((await post('/vault/key/remove', { key_id: id })).status, 200)
    const left = await keys()
    assert.deepEqual(
      left.map(({ access_key_id: id }) => id),
      [null]
    )
    // The vault's own secret is not an access key, so this route cannot remove it.
    assert.equal((await post('/vault/key/remove', { key_id: left[0].id })).status, 404)
    assert.equal((await post('/vault/key/store', { name: '', read_only: true })).status, 422)
  })

  test('a vault can have 20 access keys, and replaced keys do not count', async ({ assert }) => {
    const store = (name: string) => post('/vault/key/store', { name, read_only: true })
    for (let number = 1; number <= 20; number++) {
      assert.equal((await store(`key ${number}`)).status, 201)
      if (number > 3) continue
      const [{ id }] = (await keys()).filter((key) => key.name === `key ${number}`)
      assert.equal((await post('/vault/key/rotate', { key_id: id, overlap: 3_600 })).status, 200)
      assert.equal((await post('/vault/secret/rotate', { overlap: 3_600 })).status, 200)
    }
    const current = (await keys()).filter((key) => key.access_key_id && !key.expires_at)
    assert.lengthOf(current, 20)
    assert.equal((await store('too many')).status, 422)
    await post('/vault/key/remove', { key_id: current[0].id })
    assert.equal((await store('again')).status, 201)
    assert.equal((await store('too many')).status, 422)
  })

  test('the service stores settings, and invalid settings get 422', async ({ assert }) => {
    const cors = [
      {
        origins: ['https://example.com'],
        methods: ['GET'],
        headers: ['*'],
        exposed: ['ETag'],
        max_age: 60,
      },
    ]
    assert.equal((await post('/vault/update', { cors, monthly_limit: '12.50' })).status, 200)
    const facts = (await visitor.page(`/vault/${vault.id}`)).json.props!.facts
    assert.containSubset(facts, {
      monthly_limit: '12.50',
      cors: [{ origins: ['https://example.com'], maxAge: 60 }],
    })
    assert.equal((await post('/vault/update', { monthly_limit: null })).status, 200)
    for (const wrong of [
      { monthly_limit: 'much' },
      { cors: [{ ...cors[0], origins: ['javascript:alert(1)'] }] },
      { cors: [{ ...cors[0], origins: ['https://*.example.*'] }] },
      { cors: [{ ...cors[0], methods: ['TRACE'] }] },
    ]) {
      assert.equal((await post('/vault/update', wrong)).status, 422)
    }
    assert.equal((await post('/vault/upload/abort', { upload_id: 'none' })).status, 404)
    const upkeep = await visitor.get(`/vault/${vault.id}/upkeep`)
    assert.deepEqual(upkeep.json.data, { uploads: [], damaged: [] })
  })

  test('usage appears in charts, and finished days become usage events once', async ({
    assert,
    cleanup,
  }) => {
    const service = await startTestVaultService()
    await upload(vault, '', 'a.txt', 'Hello')
    await service.fold()
    const daysAgo = (days: number) => DateTime.utc().minus({ days }).toISODate()
    const [day, before] = [daysAgo(2), daysAgo(3)]
    const client = new pg.Client(process.env.VAULT_DATABASE_URL)
    await client.connect()
    cleanup(() => client.end())
    await client.query(
      `insert into vault.usage (vault_id, account_id, day, requests, bytes_out, byte_hours)
       values ($1, $2, $3, 7, 1024, 24.5), ($1, $2, $4, 0, -24, 0)`,
      [vault.id, customer.id, day, before]
    )
    const { json } = await visitor.get(`/vault/${vault.id}/usage`)
    const { series, count } = json.data!.usage as {
      series: Record<string, number[]>
      count: number
    }
    assert.equal(count, 90)
    assert.equal(series.requests.at(-3), 7)
    assert.isAbove(series.requests.at(-1)!, 0)

    for (let time = 0; time < 2; time++) await usage.run(new AbortController().signal)
    const events = await UsageEvent.query().where('accountId', customer.id).orderBy(['meter', 'at'])
    assert.deepEqual(
      events.map(({ meter, quantity, source }) => [meter, Number(quantity), source]),
      [
        ['vault.byte_hours', 24.5, `vault:${vault.id}:${day}:byte_hours`],
        ['vault.bytes_out', -24, `vault:${vault.id}:${before}:bytes_out`],
        ['vault.bytes_out', 1024, `vault:${vault.id}:${day}:bytes_out`],
        ['vault.requests', 7, `vault:${vault.id}:${day}:requests`],
      ]
    )
    assert.equal(events[0].at.toUTC().toISODate(), day)

    // Simulates that the service counted two requests after the day was reported, as after a full disk.
    await client.query('update vault.usage set requests = 9 where vault_id = $1 and day = $2', [
      vault.id,
      day,
    ])
    for (let time = 0; time < 2; time++) await usage.run(new AbortController().signal)
    const requests = await UsageEvent.query()
      .where({ accountId: customer.id, meter: 'vault.requests' })
      .orderBy('id')
    assert.deepEqual(
      requests.map(({ quantity }) => Number(quantity)),
      [7, 2]
    )
  })
})

import { actorOf } from '#identity/public'
import type { InstanceType } from '#catalog/models/server_package'
import { runSteps } from '#core/operations/runner'
import type Person from '#identity/models/person'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import { beforeInstanceDeletion, ServerInstance } from '#instances/public'
import { createSmallPackage, uniqueName } from '#tests/support/hosts'
import { makeCustomer, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

async function instanceOf({ id: accountId }: Person, instanceType: InstanceType) {
  const { id: serverPackageId } = await createSmallPackage(instanceType)
  return ServerInstance.create({
    accountId,
    serverPackageId,
    instanceType,
    name: uniqueName('web'),
    status: 'active',
    billingPeriod: 'month',
    ports: {},
  })
}

test.group('Domain list of a shared instance', () => {
  test('saves valid names as pending, and rejects regular instances and names in use', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const customer = await signIn(owner)
    const regular = await instanceOf(owner, 'regular')
    const shared = await instanceOf(owner, 'shared')
    const subdomain = `${uniqueName('shop')}.example.com`
    const domains = [{ subdomain, status: 'active' }]
    const save = (id: number, list: object[]) =>
      customer.post('/server-instance/update', { id, domains: list })
    assert.equal((await save(regular.id, domains)).status, 409)
    assert.equal((await save(shared.id, domains)).status, 200)
    const rows = await db.from('domains').where('server_instance_id', shared.id)
    assert.deepEqual([rows.length, rows[0].status], [1, 'pending'])
    const second = await instanceOf(owner, 'shared')
    assert.equal((await save(second.id, domains)).status, 422)
    for (const odd of ['no dots', 'a.b\n}', 'evil.com { respond 1 }', '10.0.0.1', '*.com', '']) {
      assert.equal((await save(shared.id, [{ subdomain: odd }])).status, 422, odd)
    }
    assert.equal((await save(shared.id, [])).status, 200)
    assert.lengthOf(await db.from('domains').where('server_instance_id', shared.id), 0)
  })

  test('is deleted with the instance, even a domain that was added during the deletion', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const instance = await instanceOf(owner, 'shared')
    const add = (subdomain: string) =>
      db.table('domains').insert({
        server_instance_id: instance.id,
        account_id: owner.id,
        subdomain,
        status: 'pending',
      })
    const left = () =>
      db.from('domains').where('server_instance_id', instance.id).select('subdomain')
    await add(`${uniqueName('first')}.example.com`)
    let atTakingDown: unknown[] | undefined
    beforeInstanceDeletion(async ({ id }) => {
      if (id !== instance.id) return
      atTakingDown = await left()
      await add(`${uniqueName('late')}.example.com`)
    })
    const { id } = await deleteInstance(await actorOf(owner), instance.id)
    await runSteps(id)
    assert.equal((await instance.refresh()).status, 'deleted')
    assert.deepEqual(atTakingDown, [])
    assert.deepEqual(await left(), [])
  })
})

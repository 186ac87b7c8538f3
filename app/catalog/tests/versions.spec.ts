import PackageVersion from '#catalog/models/package_version'
import ServerPackage from '#catalog/models/server_package'
import { createSmallPackage, uniqueName } from '#tests/support/hosts'
import { makeStaff, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

test.group('Versions of packages', (group) => {
  let staff: Visitor

  group.setup(async () => {
    staff = await signIn(await makeStaff())
  })

  function form(row: ServerPackage, change: object = {}) {
    return {
      id: row.id,
      name: row.name,
      instance_type: row.instanceType,
      server_series: row.serverSeries,
      specifications: row.specifications,
      pricing: row.pricing,
      offered: row.offered,
      position: row.position,
      ...change,
    }
  }
  const dearer = (row: ServerPackage, price: string) => ({
    pricing: row.pricing.map((one) => ({ ...one, price, renew: price })),
  })
  const edit = (row: ServerPackage, change: object) =>
    staff.post('/admin/server-package/update', form(row, change))
  const numbers = async ({ id }: ServerPackage) =>
    (await PackageVersion.query().where('serverPackageId', id).orderBy('number')).map(
      ({ number }) => number
    )

  test('are created by changed specifications or prices, but not by other changes', async ({
    assert,
  }) => {
    const row = await createSmallPackage('regular')
    assert.deepEqual(await numbers(row), [1])
    const same = { name: uniqueName('other-name'), position: 5, ...dearer(row, '1.0') }
    same.pricing[1] = { ...row.pricing[1], price: '10', renew: '10.000' }
    const renamed = await edit(row, same)
    assert.equal(renamed.json.message, `${same.name} is saved.`)
    assert.deepEqual(await numbers(row), [1])
    assert.equal((await edit(row, dearer(row, '2.00'))).status, 200)
    const ram = { ...row.specifications, ram: { value: 512, unit: 'MB' } }
    assert.equal((await edit(row, { ...dearer(row, '2.00'), specifications: ram })).status, 200)
    assert.deepEqual(await numbers(row), [1, 2, 3])
    await row.refresh()
    assert.equal(row.version, 3)
    const first = await PackageVersion.query().where('serverPackageId', row.id).firstOrFail()
    assert.equal(first.pricing[0].price, '1.00')
    assert.equal(first.specifications.ram.value, 256)
  })

  test('cannot be changed or deleted, not even by the owner of the database', async ({
    assert,
  }) => {
    const { id } = await createSmallPackage('regular')
    const rows = () =>
      db.connection('owner').from('package_versions').where('server_package_id', id)
    await assert.rejects(() => rows().update({ number: 9 }), /may only be added to/)
    await assert.rejects(() => rows().delete(), /may only be added to/)
    assert.lengthOf(await rows(), 1)
  })

  test('have consecutive numbers, even after simultaneous edits', async ({ assert }) => {
    const row = await createSmallPackage('regular')
    const answers = await Promise.all(
      ['2.00', '3.00', '4.00', '5.00'].map((price) => edit(row, dearer(row, price)))
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200]
    )
    assert.deepEqual(await numbers(row), [1, 2, 3, 4, 5])
    await row.refresh()
    const last = await PackageVersion.query()
      .where({ serverPackageId: row.id, number: row.version })
      .firstOrFail()
    assert.deepEqual(last.pricing, row.pricing)
  })
})

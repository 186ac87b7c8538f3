import type { PackageListPage } from '#catalog/transformers/page_props'
import { createSmallPackage, uniqueName } from '#tests/support/hosts'
import { makeStaff, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('List of packages', (group) => {
  const word = uniqueName('harbour')
  let staff: Visitor

  group.setup(async () => {
    staff = await signIn(await makeStaff('support'))
    const sold = [
      { name: `${word} one`, position: 3, price: '9.00', offered: true },
      { name: `${word} two`, position: 1, price: '10.00', offered: true },
      { name: `${word} three`, position: 2, price: '2.50', offered: false },
    ]
    for (const { price, ...fields } of sold) {
      const row = await createSmallPackage('regular')
      const pricing = row.pricing.map((one) => ({ ...one, price }))
      await row.merge({ ...fields, pricing, serverSeries: 'gold' }).save()
    }
    const shared = await createSmallPackage('shared')
    await shared.merge({ name: `${word} four`, offered: true }).save()
  })

  async function shown(query: string) {
    const { json } = await staff.page(`/admin/server-package/list?search=${word}&${query}`)
    const page = json.props as unknown as PackageListPage
    const names = page.packages.map(({ name }) => name.slice(word.length + 1))
    return { ...page, names }
  }

  test('keeps the order that staff set, and can be sorted by price', async ({ assert }) => {
    const { names, counts, count } = await shown('')
    assert.deepEqual(names, ['two', 'three', 'one', 'four'])
    assert.deepEqual([count, counts], [4, { offered: 3, withdrawn: 1 }])
    assert.deepEqual((await shown('sort=month')).names, ['four', 'three', 'one', 'two'])
    assert.deepEqual((await shown('sort=-month')).names, ['two', 'one', 'three', 'four'])
  })

  test('is filtered by status, type and series, and ignores unknown filters', async ({
    assert,
  }) => {
    assert.deepEqual((await shown('status=withdrawn')).names, ['three'])
    assert.deepEqual((await shown('type=shared')).names, ['four'])
    assert.deepEqual((await shown('series=gold&status=offered')).names, ['two', 'one'])
    const odd = await shown('type=constructor&series=x')
    assert.deepEqual([odd.names.length, odd.filters], [4, {}])
  })
})

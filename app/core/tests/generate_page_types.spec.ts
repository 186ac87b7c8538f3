import { generateRouteTypes } from '#core/generate_route_types'
import { generatePageTypes } from '#core/generate_page_types'
import { test } from '@japa/runner'

test.group('Generated types for pages', () => {
  test('URLs of GET requests have another type than URLs of other requests', ({ assert }) => {
    const [reads, changes] = generateRouteTypes().split('export type NonGetRoutePath')
    for (const address of ["'/admin'", '`/admin/server-instance/${number}`']) {
      assert.include(reads, `\n  | ${address}\n`)
      assert.notInclude(changes, `\n  | ${address}\n`)
    }
    assert.include(changes, "\n  | '/admin/server-instance/update'\n")
    assert.notInclude(reads, "'/admin/server-instance/update'")
  })

  test('page files are included, their tests are not', async ({ assert }) => {
    const types = await generatePageTypes()
    assert.include(types, "\n  'admin/billing/list': typeof import('./pages/admin/billing/list')\n")
    assert.notInclude(types, '.test')
  })
})

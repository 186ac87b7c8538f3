import { generateRouteTypes } from '#core/generate_route_types'
import { generatePageTypes } from '#core/generate_page_types'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { readFile } from 'node:fs/promises'

const written = (file: string) => readFile(app.makePath(file), 'utf8')

test.group('What pages know of the server (./berth check writes it)', () => {
  test('its addresses', async ({ assert }) => {
    assert.equal(await written('app/core/page_addresses.ts'), generateRouteTypes())
  })

  test('the pages that it can render', async ({ assert }) => {
    assert.equal(await written('inertia/page_files.ts'), await generatePageTypes())
  })
})

import { addressTypes } from '#core/addresses'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { readFile } from 'node:fs/promises'

test('pages know the addresses of the server as they are (./berth check writes them)', async ({
  assert,
}) => {
  const written = await readFile(app.makePath('app/core/page_addresses.ts'), 'utf8')
  assert.equal(written, addressTypes())
})

/// <reference lib="dom" />
import { createS3Client } from '#packages/vault-service/s3/tests/client'
import { openBrowser, openPageAs, visit, waitForToast } from '#tests/support/browser'
import { makeCustomer } from '#tests/support/people'
import { makeVault, startTestVaultService } from '#vault/tests/fixtures'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { test } from '@japa/runner'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'

/** Sends a request from a page. Returns the parts of the response that its script can read. */
const send = (page: Page, method: 'GET' | 'PUT' | 'DELETE', url: string) =>
  page.evaluate(
    async ([sentMethod, sentUrl]) => {
      const init: RequestInit = { method: sentMethod }
      if (sentMethod === 'PUT') {
        init.body = '{"tea":1}'
        init.headers = { 'content-type': 'application/json' }
      }
      try {
        const response = await fetch(sentUrl, init)
        const { status, headers } = response
        return { status, etag: headers.get('etag'), text: await response.text() }
      } catch (error) {
        return { problem: String(error) }
      }
    },
    [method, url]
  )

test.group('Vault | presigned URLs on a page of another origin', () => {
  test('fetch works after a CORS rule allows the origin', async ({ assert, cleanup }) => {
    const service = await startTestVaultService()
    const customer = await makeCustomer()
    const vault = await makeVault(customer)
    const key = { id: vault.id, name: 'pages', readOnly: false }
    const { accessKeyId, secret } = await service.control.call('makeKey', key)
    const client = createS3Client(service.url, { accessKeyId, secretKey: secret })
    const object = { Bucket: vault.key, Key: 'in/report.json' }
    const put = await getSignedUrl(client, new PutObjectCommand(object))
    const get = await getSignedUrl(client, new GetObjectCommand(object))
    const site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>Shop</title>')
    }).listen(0, '127.0.0.1')
    cleanup(() => void site.close())
    await once(site, 'listening')
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    const { context, page } = await openBrowser()
    // Chromium would ask the vault to allow the test's own header in each preflight. Customers' browsers do not send
    // it.
    await context.setExtraHTTPHeaders({})
    await page.goto(origin)
    const failed = { problem: 'TypeError: Failed to fetch' }
    assert.deepEqual(await send(page, 'PUT', put), failed)

    const owner = await openPageAs(customer)
    await visit(owner, `/vault/${vault.id}?tab=settings`)
    await owner.getByRole('button', { name: 'Add rule' }).click()
    const rule = owner.getByRole('group', { name: 'Rule 1' })
    await rule.getByLabel('Origins').fill(origin)
    await rule.getByRole('combobox', { name: 'Methods' }).press('Space')
    await owner.getByRole('option', { name: 'PUT' }).click()
    await owner.keyboard.press('Escape')
    await rule.getByLabel('Request headers').fill('Content-Type')
    await rule.getByLabel('Exposed headers').fill('ETag')
    await owner.getByRole('button', { name: 'Save rules' }).click()
    await waitForToast(owner, 'Vault settings saved.')

    const { status, etag } = await send(page, 'PUT', put)
    assert.equal(status, 200)
    assert.match(etag!, /^"[\da-f]{32}"$/)
    const read = await send(page, 'GET', get)
    assert.deepEqual(read, { status: 200, etag, text: '{"tea":1}' })
    // The page can read why a request failed.
    const changed = await send(page, 'GET', get.replace('report', 'other'))
    assert.equal(changed.status, 403)
    assert.match(changed.text!, /<Code>SignatureDoesNotMatch</)
    // The rule does not allow this method.
    assert.deepEqual(await send(page, 'DELETE', get), failed)
  })
})

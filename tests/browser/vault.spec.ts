/// <reference lib="dom" />
import type Person from '#identity/models/person'
import Vault from '#vault/models/vault'
import { freshName, makeVault, startTestVaultService } from '#vault/tests/fixtures'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  waitForToast,
  visit,
  openPageAs,
  signInByRequest,
} from '#tests/support/browser'
import { computeSignature, signingKey } from '#packages/vault-service/s3/signature'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const pdf = Buffer.from(
  `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 44>>stream
BT /F1 24 Tf 40 60 Td (Harbour dues) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%EOF`
).toString('base64')

interface Dropped {
  name: string
  type: string
  base64: string
}

/** Drops files onto the list of objects, as a person drags them from the desktop. */
async function drop(page: Page, files: Dropped[]): Promise<void> {
  const data = await page.evaluateHandle((sent) => {
    const transfer = new DataTransfer()
    for (const { name, type, base64 } of sent) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      transfer.items.add(new File([bytes], name, { type }))
    }
    return transfer
  }, files)
  const place = page.getByRole('tabpanel', { name: 'Objects' }).locator('> div')
  await place.dispatchEvent('dragover', { dataTransfer: data })
  await place.dispatchEvent('drop', { dataTransfer: data })
}

/**
 * Returns the HTML of a page of another website, whose server has signed the upload form in advance (S3, "POST
 * Object").
 */
function uploadForm(
  url: string,
  bucket: string,
  { accessKeyId, secret }: { accessKeyId: string; secret: string }
): string {
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`
  const fields: Record<string, string> = {
    key: 'in/${filename}',
    success_action_status: '201',
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${accessKeyId}/${scope}`,
    'x-amz-date': date,
  }
  const conditions = [
    { bucket },
    ['starts-with', '$key', 'in/'],
    ...Object.entries(fields)
      .filter(([name]) => name !== 'key')
      .map(([name, value]) => ({ [name]: value })),
  ]
  const expiration = new Date(Date.now() + 3_600_000).toISOString()
  fields.policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64')
  fields['x-amz-signature'] = computeSignature(signingKey(secret, scope), fields.policy)
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`
  )
  return `<!doctype html><title>Shop</title>
<form action="${url}/${bucket}" method="post" enctype="multipart/form-data">${inputs.join('')}
<label>File <input type="file" name="file"></label><button>Upload</button></form>`
}

const text = (words: string) => Buffer.from(words).toString('base64')

const act = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

test.group('Vault', () => {
  let customer: Person

  const make = async (page: Page): Promise<Vault> => {
    const name = freshName()
    await visit(page, '/vault/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add new vault' })
    await form.getByLabel('Name').pressSequentially('Ab')
    await form.getByRole('button', { name: 'Create vault' }).click()
    await form.getByText('at least 3 characters').waitFor()
    await form.getByLabel('Name').fill(name.toUpperCase())
    await form.getByRole('button', { name: 'Create vault' }).click()
    await page.getByRole('link', { name, exact: true }).waitFor()
    return Vault.findByOrFail({ name, accountId: customer.id })
  }

  test('files are uploaded, previewed, shared and deleted', async () => {
    const { url } = await startTestVaultService()
    customer = await makeCustomer()
    const { context, page } = await openBrowser({ showsPdfs: true })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await signInByRequest(page, customer)
    await visit(page, '/vault/list')
    await takeScreenshots(page, 'vault-none')
    const vault = await make(page)
    await page.getByText('API documentation').click()
    await page.getByText(`POST ${url}/upload`).waitFor()
    await takeScreenshots(page, 'vault-list')

    await page.getByRole('button', { name: 'Copy secret key' }).first().click()
    await waitForToast(page, 'Secret Key Copied!')
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), vault.secretKey)

    await page.getByRole('link', { name: `Manage ${vault.name}` }).click()
    await page.getByText('No objects yet').waitFor()
    await takeScreenshots(page, 'vault-empty')
    await page.getByRole('button', { name: 'Create Folder' }).click()
    const folder = page.getByRole('dialog', { name: 'Create Folder' })
    await folder.getByLabel('Name').fill('photos')
    await folder.getByRole('button', { name: 'Create folder' }).click()
    await page.getByRole('link', { name: 'photos' }).click()
    await page.getByText('This folder is empty').waitFor()

    await drop(page, [
      { name: 'dot.png', type: 'image/png', base64: png },
      { name: 'log.txt', type: 'text/plain', base64: text('শুভ সকাল, harbour') },
      { name: 'dues.pdf', type: 'application/pdf', base64: pdf },
    ])
    await page.getByRole('button', { name: 'dot.png', exact: true }).waitFor()
    await page.getByRole('button', { name: 'log.txt', exact: true }).waitFor()
    await takeScreenshots(page, 'vault-objects')
    await drop(page, [{ name: 'log.txt', type: 'text/plain', base64: text('Another') }])
    const uploads = page.getByRole('region', { name: 'Uploads' })
    await uploads.getByText('A file with this name already exists. Replace it?').waitFor()
    await takeScreenshot(page, 'vault-replace')
    await uploads.getByRole('button', { name: 'Cancel log.txt' }).click()
    await uploads.getByRole('button', { name: 'Clear' }).click()

    await page.getByRole('button', { name: 'log.txt', exact: true }).click()
    const preview = page.getByRole('dialog', { name: 'log.txt' })
    await preview.getByText('শুভ সকাল, harbour').waitFor()
    await takeScreenshot(page, 'vault-preview')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'dot.png', exact: true }).click()
    const image = page.getByRole('dialog', { name: 'dot.png' }).getByAltText('dot.png')
    await image.evaluate((one: HTMLImageElement) => one.decode())
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'dues.pdf', exact: true }).click()
    await page.getByRole('dialog', { name: 'dues.pdf' }).locator('iframe').waitFor()
    const isViewer = () => page.frames().some((one) => one.url().startsWith('chrome-extension:'))
    await eventually(() => assert.ok(isViewer(), 'The viewer of PDFs was not opened'))
    await takeScreenshot(page, 'vault-pdf')
    await page.getByRole('dialog', { name: 'dues.pdf' }).getByLabel('Close').click()

    await act(page, 'log.txt', 'Copy CDN address')
    await waitForToast(page, 'CDN Copied!')
    const address = await page.evaluate(() => navigator.clipboard.readText())
    assert.equal(address, `${url}/${vault.key}/photos/log.txt`)

    await act(page, 'log.txt', 'Share')
    const share = page.getByRole('dialog', { name: 'Share log.txt' })
    await share.getByLabel('Expires after').selectOption('3600')
    await share.getByRole('button', { name: 'Copy link', exact: true }).last().click()
    await waitForToast(page, 'Link Copied!')
    const link = await share.getByLabel('Link', { exact: true }).inputValue()
    await takeScreenshots(page, 'vault-share', false)
    // The link must work without a session.
    assert.equal(await (await fetch(link)).text(), 'শুভ সকাল, harbour')
    await share.getByRole('button', { name: 'Close' }).last().click()

    await act(page, 'log.txt', 'Delete')
    const removal = page.getByRole('dialog', { name: 'Delete file' })
    await removal.getByRole('button', { name: 'Delete' }).click()
    await removal.getByText('Wrong input').waitFor()
    await takeScreenshot(page, 'vault-delete-file')
    await removal.getByLabel('Yes, delete this file').check()
    await removal.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'log.txt', exact: true }).waitFor({ state: 'detached' })
    assert.equal((await fetch(link)).status, 404)

    await page.getByRole('navigation', { name: 'Folder' }).getByRole('link').click()
    await act(page, 'photos', 'Delete')
    const whole = page.getByRole('dialog', { name: 'Delete folder' })
    await whole.getByLabel('Type photos to confirm').fill('photo')
    await whole.getByRole('button', { name: 'Delete' }).click()
    await whole.getByText('Wrong input').waitFor()
    await takeScreenshots(page, 'vault-delete-folder', false)
    await whole.getByLabel('Type photos to confirm').fill('photos')
    await whole.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No objects yet').waitFor()
  })

  test('the code examples on the page run unchanged', async () => {
    const { url } = await startTestVaultService()
    customer = await makeCustomer()
    const { page } = await openBrowser()
    const folder = await mkdtemp(join(tmpdir(), 'berth-examples-'))
    try {
      await signInByRequest(page, customer)
      const vault = await make(page)
      await writeFile(join(folder, 'boat.jpg'), 'A boat')
      await page.getByText('API documentation').click()
      const run = async (language: string, work: string) => {
        await page.getByText(language, { exact: true }).click()
        const shown = page.getByLabel(`${work} a file: ${language}`, { exact: true })
        const program = (await shown.textContent())!.replace('YOUR_SECRET_KEY', vault.secretKey!)
        const file = join(folder, language === 'curl' ? 'program.sh' : 'program.mjs')
        await writeFile(file, program)
        const { stdout } = await promisify(execFile)(
          language === 'curl' ? '/bin/sh' : process.execPath,
          [file],
          { cwd: folder }
        )
        assert.match(stdout, /photos\/2026\/boat\.jpg/)
      }
      const status = async () => (await fetch(`${url}/${vault.key}/photos/2026/boat.jpg`)).status
      for (const language of ['curl', 'Node']) {
        await run(language, 'Upload')
        assert.equal(await status(), 200, language)
        await run(language, 'Remove')
        assert.equal(await status(), 404, language)
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('keys are created and changed, usage is shown, and settings are saved', async () => {
    const { url } = await startTestVaultService()
    customer = await makeCustomer()
    const page = await openPageAs(customer)
    const vault = await make(page)
    await visit(page, `/vault/${vault.id}?tab=credentials`)
    await page.getByRole('tab', { name: 'Crendentials', selected: true }).waitFor()
    await page.getByRole('button', { name: 'New access key' }).click()
    const made = page.getByRole('dialog', { name: 'New access key' })
    await made.getByLabel('Name').fill('backups')
    await made.getByRole('switch', { name: 'Read only' }).click({ force: true })
    await made.getByRole('button', { name: 'Create key' }).click()
    await made.getByText('Copy the secret now').waitFor()
    await takeScreenshots(page, 'vault-key', false)
    await made.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('table', { name: 'Access keys' }).getByText('backups').waitFor()
    await takeScreenshots(page, 'vault-credentials')

    await page.getByRole('button', { name: 'Change secret key' }).click()
    const turned = page.getByRole('dialog', { name: 'Change secret key' })
    await turned.getByLabel('Old secret key expires').selectOption('3600')
    await turned.getByRole('button', { name: 'Change secret key' }).click()
    await turned.getByText('Use this secret key in your programs.', { exact: false }).waitFor()
    await turned.getByRole('button', { name: 'Done' }).click()
    await page.getByText('still works for a limited time').waitFor()
    assert.notEqual((await Vault.findOrFail(vault.id)).secretKey, vault.secretKey)

    await page.getByRole('tab', { name: 'Usage' }).click()
    await page.getByRole('img', { name: /^Requests/ }).waitFor()
    await page.getByLabel('Monthly limit (USD)').fill('much')
    await page.getByRole('button', { name: 'Save limit' }).click()
    await page.getByText('Enter an amount in dollars').waitFor()
    await page.getByLabel('Monthly limit (USD)').fill('12.50')
    await page.getByRole('button', { name: 'Save limit' }).click()
    await waitForToast(page, 'Vault settings saved.')
    await takeScreenshots(page, 'vault-usage')

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('switch', { name: 'Private' }).click({ force: true })
    await page.getByText('private', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByRole('button', { name: 'Save rules' }).click()
    await waitForToast(page, 'Vault settings saved.')
    await takeScreenshots(page, 'vault-settings')
    assert.equal((await fetch(`${url}/${vault.key}/none`)).status, 403)

    await page.getByRole('button', { name: 'Delete vault' }).click()
    const end = page.getByRole('dialog', { name: `Delete ${vault.name}` })
    await end.getByLabel(`Type ${vault.name} to confirm`).fill(vault.name)
    await end.getByRole('button', { name: 'Delete vault' }).click()
    await page.getByText('No vaults yet').waitFor()
  })

  test('a page of another origin uploads with a signed form', async ({ cleanup }) => {
    const service = await startTestVaultService()
    customer = await makeCustomer()
    const vault = await makeVault(customer)
    const key = { id: vault.id, name: 'pages', readOnly: false }
    const { accessKeyId, secret } = await service.control.call('makeKey', key)
    const site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(uploadForm(service.url, vault.key, { accessKeyId, secret }))
    }).listen(0, '127.0.0.1')
    cleanup(() => void site.close())
    await once(site, 'listening')
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    const { page } = await openBrowser()
    const choose = (name: string) =>
      page.getByLabel('File').setInputFiles({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from(`from ${name}`),
      })
    const stored = async (name: string) => {
      const response = await fetch(`${service.url}/${vault.key}/in/${name}`)
      return response.ok ? response.text() : response.status
    }

    await page.goto(origin)
    await choose('by form.txt')
    await page.getByRole('button', { name: 'Upload' }).click()
    // Chromium shows XML without a style sheet as a source tree. The element itself is hidden, so this does not wait
    // until it is visible.
    const location = page.getByText(`/${vault.key}/in/by%20form.txt`).first()
    await location.waitFor({ state: 'attached' })
    assert.equal(new URL(page.url()).origin, new URL(service.url).origin)
    assert.equal(await stored('by form.txt'), 'from by form.txt')
  })

  test('staff suspend a vault, which then serves nothing, and resume it', async () => {
    const { url } = await startTestVaultService()
    customer = await makeCustomer()
    const owner = await openPageAs(customer)
    const vault = await make(owner)
    await visit(owner, `/vault/${vault.id}`)
    await owner.getByLabel('Files to upload').setInputFiles({
      name: 'a.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Hello'),
    })
    await owner.getByRole('button', { name: 'a.txt', exact: true }).waitFor()
    const cdn = () => fetch(`${url}/${vault.key}/a.txt`)
    assert.equal((await cdn()).status, 200)

    const page = await openPageAs(await makeStaff())
    await visit(page, `/admin/vault/list?search=${vault.key}`)
    await takeScreenshots(page, 'vault-staff')
    await page.getByRole('button', { name: `Suspend ${vault.name}` }).click()
    const suspend = page.getByRole('dialog', { name: `Suspend ${vault.name}` })
    await suspend.getByLabel('Reason').fill('Malware')
    await takeScreenshots(page, 'vault-suspend', false)
    await suspend.getByRole('button', { name: 'Suspend vault' }).click()
    await page.getByRole('button', { name: `Resume ${vault.name}` }).waitFor()
    assert.equal((await cdn()).status, 403)
    await owner.getByText('Reason: Malware').waitFor()
    await owner.getByRole('tab', { name: 'Crendentials' }).click()
    await owner.getByText('Not Available').waitFor()
    await takeScreenshots(owner, 'vault-suspended')

    await page.getByRole('button', { name: `Resume ${vault.name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume vault' }).click()
    await page.getByRole('button', { name: `Suspend ${vault.name}` }).waitFor()
    assert.equal((await cdn()).status, 200)
  })
})

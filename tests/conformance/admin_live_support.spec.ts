/// <reference lib="dom" />
import { sendMessage } from '#support/actions/send_message'
import type Person from '#identity/models/person'
import { visit } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { uniqueName } from '#tests/support/hosts'
import { actorOf, makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { startTestVaultService } from '#vault/tests/fixtures'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { Request } from 'playwright-core'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

const SUPPORT_PATH = '/admin/live-support'

test.group('Live support page of staff', (group) => {
  const stage = stageOf(group, () => makeStaff('support', { name: 'Rafiq of Support' }))
  const word = `anchor${randomUUID().slice(0, 8)}`
  let client: Person

  group.setup(async () => {
    await startTestVaultService()
    client = await makeCustomer({ name: `Nasrin ${word}` })
    await sendMessage(await actorOf(client), client.id, { text: `Where is the ${word}?` })
  })
  const clients = () => stage.page.getByRole('region', { name: 'Clients' })
  const log = () => stage.page.getByRole('log', { name: 'Messages' })
  const input = () => stage.page.getByRole('textbox', { name: 'Message', exact: true })
  const send = () => stage.page.getByRole('button', { name: 'Send', exact: true })
  const preview = () => stage.page.getByRole('region', { name: 'Attachments' })
  const open = async () => {
    await visit(stage.page, SUPPORT_PATH)
    await clients().getByLabel('Search clients and messages').fill(String(client.id))
    await clients()
      .getByRole('button', { name: new RegExp(`${client.id}.*${client.name}`, 's') })
      .click()
    await log().getByText(`Where is the ${word}?`).waitFor()
  }
  const textFile = (name: string) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from('a line'),
  })

  proves(['A2.103', 'A2.104', 'A2.105', 'A2.106', 'A9.10'], async () => {
    const { page } = stage
    await open()
    const left = (await clients().boundingBox())!
    const right = (await log().boundingBox())!
    assert.ok(left.x + left.width <= right.x, 'clients stand left of the chat')
    await clients().getByText(String(client.id), { exact: true }).waitFor()
    await clients()
      .getByRole('status')
      .filter({ hasText: /^Showing 1 to \d+ of \d+/ })
      .waitFor()
    await input().waitFor()
    await send().waitFor()
    const kept = await page.evaluate(() => sessionStorage.getItem('client_pagination'))
    const {
      page: number,
      length,
      status,
      searchText,
    } = JSON.parse(kept!) as Record<string, unknown>
    assert.deepEqual([number, length, status, searchText], [1, 50, '', String(client.id)])
    await clients().getByLabel('Search clients and messages').fill(word)
    const found = page.getByRole('list', { name: 'Messages found' }).getByRole('button')
    assert.match(await found.first().innerText(), /\d{1,2}:\d\d [AP]M, \d\d-\d\d-\d{4}/)
    await visit(page, SUPPORT_PATH)
    const search = clients().getByLabel('Search clients and messages')
    await page.waitForFunction(
      (text) => document.querySelector<HTMLInputElement>('section input')?.value === text,
      word
    )
    assert.equal(await search.inputValue(), word)
  })

  proves(['A3.18', 'A3.19', 'A6.3', 'A7.4', 'A7.5', 'A7.7', 'A9.2'], async () => {
    const desk = await signIn(stage.person)
    const query = `page=1&length=50&status=waiting&search=${client.id}`
    const list = (await desk.get(`${SUPPORT_PATH}/client-list?${query}`)).json
    const [row] = list.data!.clients as Record<string, unknown>[]
    assert.deepEqual([list.success, row.client_id, row.name], [true, client.id, client.name])
    const sent = { sender_id: client.id, client_id: client.id, text: 'From the desk' }
    assert.equal((await desk.post(`${SUPPORT_PATH}/send-message`, sent)).status, 201)
    const query2 = `page=1&length=100&client_id=${client.id}`
    const { json } = await desk.get(`${SUPPORT_PATH}/message-list?${query2}`)
    assert.equal(json.success, true)
    const messages = json.data!.messages as Record<string, unknown>[]
    assert.equal(json.data!.count, messages.length)
    const last = messages.at(-1)!
    for (const field of ['id', 'content', 'file_type', 'files', 'created_at', 'temp']) {
      assert.ok(field in last, field)
    }
    assert.deepEqual(
      [last.sender_id, last.client_id, last.content],
      [stage.person.id, client.id, 'From+the+desk']
    )
    const { page } = stage
    const asked = page.waitForRequest((one) => one.url().includes('/message-list'))
    await open()
    assert.equal(new URL((await asked).url()).searchParams.get('length'), '100')
  })

  proves(['A5.1', 'A5.2', 'A5.3', 'A7.7', 'A7.9'], async () => {
    const { page } = stage
    await open()
    const calls: Record<string, unknown>[] = []
    const listen = (one: Request) => {
      if (one.url().endsWith('/send-message')) {
        calls.push(one.postDataJSON() as Record<string, unknown>)
      }
    }
    page.on('request', listen)
    await input().press('Enter')
    assert.ok(await send().isDisabled())
    await input().pressSequentially('first line')
    await input().press('Shift+Enter')
    await input().pressSequentially('second line')
    assert.equal(await input().inputValue(), 'first line\nsecond line')
    const answered = page.waitForResponse((one) => one.url().endsWith('/send-message'))
    await input().press('Enter')
    await answered
    await page.waitForRequest((one) => one.url().includes('/message-list'))
    await log().getByText('second line').waitFor()
    page.off('request', listen)
    assert.deepEqual(
      calls.map(({ sender_id: sender, client_id: to, text }) => [sender, to, text]),
      [[stage.person.id, client.id, 'first line\nsecond line']]
    )
  })

  proves(['A7.6', 'A9.1'], async () => {
    const { page } = stage
    await open()
    const times: number[] = []
    const listen = (one: Request) => {
      if (one.url().includes('/message-list')) times.push(Date.now())
    }
    page.on('request', listen)
    // Soon after the conversation opens, a change event causes another request.
    await eventually(() => {
      const gap = times.at(-1)! - times.at(-2)!
      assert.ok(gap > 8_000, `${gap} ms`)
    })
    page.off('request', listen)
  })

  proves(['A2.108', 'A2.109', 'A2.110', 'A4.14', 'A5.4', 'A5.5', 'A5.6'], async () => {
    const { page } = stage
    await open()
    const photos = page.locator('input[accept="image/*"]')
    assert.equal(await photos.getAttribute('multiple'), '')
    assert.equal(await preview().count(), 0)
    const many = Array.from({ length: 12 }, (_, each) => textFile(`list-${each}.txt`))
    await page.locator('input[accept*=".pdf"]').setInputFiles(many)
    const chosen = preview().getByRole('listitem')
    await chosen.nth(9).waitFor()
    assert.equal(await chosen.count(), 10)
    const display = await preview()
      .getByRole('list')
      .evaluate((element) => getComputedStyle(element).display)
    assert.equal(display, 'grid')
    await preview().getByRole('button', { name: 'Remove list-3.txt' }).click()
    assert.equal(await chosen.count(), 9)
    await preview().getByRole('button', { name: 'Send', exact: true }).waitFor()
    await preview().getByRole('button', { name: 'Cancel' }).click()
    await preview().waitFor({ state: 'detached' })
    assert.equal(await log().getByText('list-3.txt').count(), 0)
  })

  proves(
    [
      'A2.111',
      'A2.112',
      'A2.113',
      'A2.114',
      'A2.115',
      'A2.116',
      'A2.117',
      'A3.21',
      'A3.22',
      'A4.15',
      'A5.7',
      'A7.8',
      'A7.10',
      'A9.5',
      'A9.6',
    ],
    async () => {
      const { page } = stage
      await open()
      const boat = uniqueName('boat')
      const [one, two] = [`${uniqueName('one')}.txt`, `${uniqueName('two')}.csv`]
      await page.route('**/chat-file/upload', async (route) => {
        await page.getByRole('status').getByText('Uploading...').waitFor()
        await route.continue()
      })
      const large = await page.evaluate(() => {
        const canvas = document.createElement('canvas')
        Object.assign(canvas, { width: 1600, height: 1000 })
        canvas.getContext('2d')!.fillRect(100, 100, 500, 500)
        return canvas.toDataURL('image/png').split(',')[1]
      })
      const buffer = Buffer.from(large, 'base64')
      const uploaded = page.waitForResponse('**/admin/chat-file/upload')
      const said = page.waitForRequest('**/send-message')
      await page
        .locator('input[accept="image/*"]')
        .setInputFiles([{ name: `${boat}.png`, mimeType: 'image/png', buffer }])
      await preview().getByRole('button', { name: 'Send', exact: true }).click()
      const body = (await (await uploaded).json()) as {
        data: { chatFiles: { id: string; file: string }[] }
      }
      const [{ id, file }] = body.data.chatFiles
      assert.ok(id && file.endsWith('.jpg'), file)
      assert.equal(((await said).postDataJSON() as { photos: string }).photos, file)
      const parts = (await uploaded).request().postDataBuffer()!.toString('latin1')
      assert.match(parts, /name="type"[\s\S]*photo[\s\S]*name="photo_0"/)
      await page.unroute('**/chat-file/upload')

      const picture = log().getByRole('button', { name: `Open ${boat}.jpg` })
      await picture.waitFor()
      const facts = await page.evaluate(async (address) => {
        const answer = await fetch(address)
        const blob = await answer.blob()
        const { width, height } = await createImageBitmap(blob)
        const bytes = new Uint8Array(await blob.arrayBuffer())
        // In a JPEG of quality 100, the first quantization table contains only ones.
        const at = bytes.findIndex((byte, index) => byte === 0xff && bytes[index + 1] === 0xdb)
        return { type: blob.type, width, height, steps: [...bytes.slice(at + 5, at + 69)] }
      }, `/admin/${file}`)
      assert.deepEqual([facts.type, facts.width, facts.height], ['image/jpeg', 800, 500])
      assert.deepEqual([...new Set(facts.steps)], [1])

      const sent = page.waitForResponse('**/admin/chat-file/upload')
      const docs = page.waitForRequest('**/send-message')
      await page.locator('input[accept*=".pdf"]').setInputFiles([textFile(one), textFile(two)])
      await preview().getByRole('button', { name: 'Send', exact: true }).click()
      const answer = (await (await sent).json()) as typeof body
      const paths = answer.data.chatFiles.map((one) => one.file).join(',')
      assert.equal(((await docs).postDataJSON() as { docs: string }).docs, paths)
      await log()
        .getByRole('button', { name: `Open ${one}` })
        .waitFor()
      const desk = await signIn(stage.person)
      const { json } = await desk.get(`${SUPPORT_PATH}/message-list?client_id=${client.id}`)
      const [first, second] = (json.data!.messages as Record<string, string>[]).slice(-2)
      assert.deepEqual([first.file_type, first.files], ['photo', file])
      assert.deepEqual([second.file_type, second.files], ['document', paths])

      const text = 'a long word '.repeat(40)
      await input().fill(text)
      await input().press('Enter')
      const bubble = log().getByRole('article').filter({ hasText: 'a long word' })
      // The sent message replaces the pending one, so the bubble must be found again each time.
      await eventually(async () => {
        const width = (await bubble.last().boundingBox())?.width ?? 0
        assert.ok(width > 240 && width <= 280, `${width} px`)
      })

      await picture.click()
      const viewer = page.getByRole('dialog')
      const shown = viewer.getByRole('img', { name: `${boat}.jpg` })
      await shown.waitFor()
      const size = page.viewportSize()!
      const box = (await viewer.boundingBox())!
      assert.deepEqual([box.width, box.height], [size.width, size.height])
      const zoom = viewer.getByLabel('Zoom', { exact: true })
      assert.equal(await zoom.innerText(), '50%')
      const seen = async (button: string) => {
        const all: string[] = []
        while (!(await viewer.getByRole('button', { name: button }).isDisabled())) {
          await viewer.getByRole('button', { name: button }).click()
          all.push(await zoom.innerText())
        }
        return all
      }
      assert.deepEqual(await seen('Zoom in'), ['60%', '70%', '80%', '90%', '100%'])
      assert.deepEqual((await seen('Zoom out')).at(-1), '20%')
      const go = (name: string) => viewer.getByRole('button', { name, exact: true }).click()
      await go('Next')
      await viewer.getByText('TXT', { exact: true }).waitFor()
      await go('Next')
      await viewer.getByText('CSV', { exact: true }).waitFor()
      // After the last attachment comes the first one, and before the first one the last, whatever the number of
      // files.
      const [, all] = /of (\d+)/.exec(await viewer.innerText())!
      for (let step = 2; step < Number(all); step += 1) await go('Next')
      await shown.waitFor()
      for (let step = 0; step < Number(all) - 2; step += 1) await go('Previous')
      await viewer.getByText('CSV', { exact: true }).waitFor()
      await go('Close')
      await viewer.waitFor({ state: 'detached' })
    }
  )
})

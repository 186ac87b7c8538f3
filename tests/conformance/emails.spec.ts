/// <reference lib="dom" />
import type Sender from '#mail/models/sender'
import { freshAddress, makeSender, pendingSender } from '#mail/tests/fixtures'
import type Person from '#identity/models/person'
import { waitForToast, visit } from '#tests/support/browser'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

interface Senders {
  verified: Sender
  pending: Sender
  deleted: Sender
}

async function sendersOf(customer: Person): Promise<Senders> {
  const [verified, pending] = [await makeSender(customer), await pendingSender(customer)]
  const deleted = await pendingSender(customer)
  const month = DateTime.utc().toFormat('yyyy-MM')
  await verified.merge({ sentMailCount: { [month]: 7, '2026-01': 1_234 } }).save()
  return { verified, pending, deleted: await deleted.merge({ status: 'deleted' }).save() }
}

const rowOf = (page: Page, { email }: Sender) => page.getByRole('row').filter({ hasText: email })

const lineThrough = (page: Page, sender: Sender) =>
  rowOf(page, sender)
    .getByTitle(sender.email)
    .evaluate((element) => {
      for (let one: Element | null = element; one; one = one.parentElement) {
        if (getComputedStyle(one).textDecorationLine.includes('line-through')) return true
      }
      return false
    })

async function heads(page: Page): Promise<string[]> {
  const all = await page.getByRole('columnheader').allInnerTexts()
  return all.map((text) => text.replace(/[↑↓↕]/g, '').trim())
}

async function filtersOf(page: Page): Promise<string[]> {
  const filters = page.getByRole('group', { name: 'Filter by status' }).getByRole('button')
  return (await filters.allInnerTexts()).map((text) => text.replace(/\s*[\d,]+$/, '').trim())
}

test.group('Email list of staff', (group) => {
  const stage = stageOf(group, () => makeStaff())
  let senders: Senders
  group.setup(async () => {
    senders = await sendersOf(await makeCustomer())
    await stage.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  })

  proves(['A1.6', 'A2.21', 'A2.98', 'A2.99', 'A2.100', 'A2.102', 'A7.27'], async () => {
    const { page, person } = stage
    await visit(page, '/admin/email/list')
    await page.getByRole('heading', { name: 'Email List', level: 1 }).waitFor()
    const { json } = await (await signIn(person)).page('/admin/email/list')
    const labels = Object.values(json.props!.emailStatus as Record<string, string>)
    assert.deepEqual(await filtersOf(page), ['All Emails', ...labels])
    for (const head of ['Email', 'Sent Mail', 'Secret Key', 'Status', 'Action']) {
      assert.ok((await heads(page)).includes(head), head)
    }
    const asked = `?page=1&length=100&status=verified&search=${senders.verified.email}`
    const answer = await (await signIn(person)).get(`/admin/email/list${asked}`)
    const { emails, page: number, length, count } = answer.json.data as Record<string, unknown>
    assert.deepEqual([(emails as unknown[]).length, number, length, count], [1, 1, 100, 1])
    await rowOf(page, senders.verified)
      .getByRole('link', { name: /^Manage/ })
      .click()
    await page.waitForURL(`**/admin/email/${senders.verified.id}`)
  })

  proves(['A2.101', 'A8.6'], async () => {
    const { page } = stage
    await visit(page, '/admin/email/list')
    await rowOf(page, senders.verified).getByRole('button', { name: 'Copy email' }).click()
    await waitForToast(page, 'Email Copied!')
    const text = await page.evaluate(() => navigator.clipboard.readText())
    assert.equal(text, senders.verified.email)
  })

  proves(['A3.16', 'A3.17', 'A4.8', 'A4.9', 'A4.10'], async () => {
    const { page, person } = stage
    await visit(page, '/admin/email/list')
    const words = await rowOf(page, senders.verified).innerText()
    assert.ok(words.includes('•••') && /\b7\b/.test(words), words)
    await rowOf(page, senders.pending).getByText('Not Available').waitFor()
    assert.equal(await lineThrough(page, senders.verified), false)
    await visit(page, '/admin/email/list?status=deleted')
    assert.equal(await lineThrough(page, senders.deleted), true)
    const { json, text } = await (await signIn(person)).page('/admin/email/list')
    assert.ok(!text.includes(senders.verified.secretKey!))
    const rows = json.props!.emails as Record<string, unknown>[]
    const row = rows.find(({ id }) => id === senders.verified.id)!
    assert.deepEqual([row.email, row.status], [senders.verified.email, 'verified'])
    assert.equal(Object.values(row.sent_mail_count as object)[0], 7)
  })
})

test.group('Email list of a customer', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let senders: Senders
  group.setup(async () => {
    senders = await sendersOf(stage.person)
    await stage.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  })

  proves(['C2.73', 'C2.75', 'C2.76', 'C2.77', 'C7.52', 'C9.13'], async () => {
    const { page, person } = stage
    await visit(page, '/email/list')
    const visitor = await signIn(person)
    const { json } = await visitor.page('/email/list')
    const labels = Object.values(json.props!.emailStatus as Record<string, string>)
    assert.deepEqual(await filtersOf(page), ['All Emails', ...labels])
    const sizes = page.getByLabel('Rows').getByRole('option')
    assert.deepEqual(await sizes.allInnerTexts(), ['50', '100', '250', '500'])
    await page.getByRole('textbox', { name: /^Search/ }).waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: /^Showing 1 to 2 of 2 records$/ })
      .waitFor()
    for (const head of ['Email', 'Sent Mail', 'Secret Key', 'Status', 'Action']) {
      assert.ok((await heads(page)).includes(head), head)
    }
    const call = page.getByText(/^POST .*\/send-mail$/)
    assert.equal(await call.isVisible(), false)
    await page.getByText('API documentation').click()
    await call.waitFor()
    const answer = await visitor.get('/email/list?page=1&length=100&status=pending&search=')
    const { emails, length, count } = answer.json.data as Record<string, unknown>
    assert.deepEqual([(emails as unknown[]).length, length, count], [1, 100, 1])
    await rowOf(page, senders.verified)
      .getByRole('link', { name: /^Manage/ })
      .click()
    await page.waitForURL(`**/email/${senders.verified.id}`)
  })

  proves(['C3.25', 'C3.26', 'C4.12', 'C4.13', 'C8.9', 'A8.7'], async () => {
    const { page, person } = stage
    await visit(page, '/email/list')
    const row = rowOf(page, senders.verified)
    await row.getByRole('button', { name: 'Copy email' }).click()
    await waitForToast(page, 'Email Copied!')
    await row.getByRole('button', { name: 'Copy secret key' }).click()
    await waitForToast(page, 'Secret Key Copied!')
    const text = await page.evaluate(() => navigator.clipboard.readText())
    assert.equal(text, senders.verified.secretKey)
    const waiting = rowOf(page, senders.pending)
    await waiting.getByText('Not Available').waitFor()
    assert.equal(await waiting.getByRole('button', { name: 'Copy secret key' }).count(), 0)
    await visit(page, '/email/list?status=deleted')
    assert.equal(await lineThrough(page, senders.deleted), true)
    const asked = await (await signIn(person)).page('/email/list')
    assert.ok(!asked.text.includes(senders.verified.secretKey!))
    const rows = asked.json.props!.emails as Record<string, unknown>[]
    const own = rows.find(({ id }) => id === senders.verified.id)!
    assert.deepEqual([own.email, own.status], [senders.verified.email, 'verified'])
    assert.equal(Object.values(own.sent_mail_count as object)[0], 7)
  })

  proves(['C2.74', 'C7.51'], async () => {
    const { page } = stage
    await visit(page, '/email/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add new address' })
    const email = freshAddress()
    await form.getByLabel('Email').fill(email)
    const call = page.waitForRequest('**/email/store')
    await form.getByRole('button', { name: 'Add address' }).click()
    assert.deepEqual((await call).postDataJSON(), { email })
    await page.getByText(email).first().waitFor()
  })
})

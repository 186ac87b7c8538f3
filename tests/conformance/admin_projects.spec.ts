/// <reference lib="dom" />
import type { ServerInstance } from '#instances/public'
import type { Project } from '#projects/public'
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import { waitForToast, visit } from '#tests/support/browser'
import { uniqueName } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

const LIST_PATH = '/admin/project/list'

test.group('Projects of all customers', (group) => {
  const stage = stageOf(group, () => makeStaff())
  const word = uniqueName('quay')
  let instance: ServerInstance
  let site: Project
  let gone: Project

  group.setup(async () => {
    instance = await makeInstance(await makeCustomer(), { instanceType: 'regular' })
    for (let each = 0; each < 51; each++) {
      await makeProject(instance, { name: `${word} ${each}`, status: 'inactive' })
    }
    site = await makeProject(instance, { name: `${word} site`, stack: 'node' })
    gone = await makeProject(instance, { name: `${word} gone`, status: 'deleted' })
  })
  const row = ({ name }: Project) => stage.page.getByRole('row').filter({ hasText: name })
  const shows = (words: string) =>
    stage.page.getByRole('status').getByText(words, { exact: true }).waitFor()

  proves(['A1.4', 'A2.61', 'A3.9', 'A3.10', 'A7.15', 'A7.32', 'A3.25'], async () => {
    const { page, person } = stage
    const visitor = await signIn(person)
    const asked = await visitor.page(`${LIST_PATH}?page=1&length=100&status=active&search=${word}`)
    const { json } = asked
    assert.equal(json.component, 'admin/project/list')
    assert.deepEqual([json.props!.page, json.props!.length, json.props!.count], [1, 100, 1])
    const [found] = json.props!.projects as Record<string, unknown>[]
    assert.deepEqual(
      [found.id, found.name, found.stack, found.path, found.status, found.server_instance_id],
      [site.id, site.name, 'node', site.path, 'active', instance.id]
    )
    assert.deepEqual(found.server_instance, { name: instance.name, ip: '192.0.2.7' })
    await visit(page, LIST_PATH)
    await page.getByRole('textbox', { name: /^Search/ }).fill(word)
    await shows('Showing 1 to 50 of 53 records')
    await page.getByRole('button', { name: 'Page 2' }).click()
    await shows('Showing 51 to 53 of 53 records')
    await page.getByRole('combobox').filter({ hasText: '250' }).selectOption('100')
    await shows('Showing 1 to 53 of 53 records')
    await page
      .getByRole('group', { name: 'Filter by status' })
      .getByRole('button', { name: 'Deleted' })
      .click()
    await shows('Showing 1 to 1 of 1 records')
    const kept = await page.waitForFunction(() => {
      const text = sessionStorage.getItem('admin-project-pagination')
      return text?.includes('deleted') ? (JSON.parse(text) as Record<string, unknown>) : null
    })
    const { page: number, length, status, searchText } = (await kept.jsonValue())!
    assert.deepEqual([number, length, status, searchText], [1, 100, 'deleted', word])
    await page.getByRole('link', { name: 'Vault' }).first().click()
    await page.waitForURL('**/admin/vault/list')
    await page.getByRole('button', { name: /^Projects/ }).click()
    await page
      .getByRole('link', { name: /^Projects/ })
      .first()
      .click()
    await shows('Showing 1 to 1 of 1 records')
    await page.evaluate(() => sessionStorage.clear())
  })

  proves(['A2.62', 'A4.11', 'A4.12', 'A4.13', 'A7.16'], async () => {
    const { page, person } = stage
    await visit(page, `${LIST_PATH}?search=${encodeURIComponent(word)}&status=`)
    const menu = page.getByLabel(`Status of ${site.name}`)
    await menu.waitFor()
    for (const [label, status] of [
      ['Suspended', 'suspended'],
      ['Active', 'active'],
    ]) {
      const call = page.waitForRequest('**/admin/project/change-status')
      await menu.click()
      await page.getByRole('menuitem', { name: label, exact: true }).click()
      assert.deepEqual((await call).postDataJSON(), { id: site.id, status })
      const answer = await (await call).response()
      if (status === 'suspended') {
        assert.equal(answer!.status(), 202)
        await waitForToast(page, 'Project status changed.')
      } else assert.equal(answer!.status(), 409, 'work is under way')
    }
    await visit(page, `${LIST_PATH}?status=deleted&search=${encodeURIComponent(gone.name)}`)
    await row(gone).waitFor()
    assert.equal(await page.getByLabel(`Status of ${gone.name}`).count(), 0)
    const line = await row(gone)
      .getByText(gone.name)
      .first()
      .evaluate((element) => {
        for (let one: Element | null = element; one; one = one.parentElement) {
          if (getComputedStyle(one).textDecorationLine.includes('line-through')) return true
        }
        return false
      })
    assert.ok(line)
    const visitor = await signIn(person)
    const change = { id: gone.id, status: 'active' }
    assert.equal((await visitor.post('/admin/project/change-status', change)).status, 409)
  })

  proves(['A2.63', 'A2.64'], async () => {
    const { page } = stage
    await visit(page, `/admin/project/${site.id}`)
    const tabs = (await page.getByRole('tab').allInnerTexts()).map((one) => one.trim())
    assert.deepEqual(tabs, ['Details', 'Setup', 'Process Manager', 'Logs'])
    const link = page.getByRole('main').getByRole('link', { name: 'File Manager' })
    const [files] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    await files.waitForURL(/\/admin\/file-manager\?/)
    await files.getByRole('heading', { name: 'File Manager', level: 1 }).waitFor()
    await files.close()
  })
})

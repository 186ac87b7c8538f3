import Member from '#accounts/models/member'
import Database from '#databases/models/database'
import { makeSender } from '#mail/tests/fixtures'
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import { assertAccessible } from '#tests/support/accessibility'
import { takeScreenshots, visit, openDashboardAs } from '#tests/support/browser'
import { openDashboardByKeys } from '#tests/support/browser_steps'
import { uniqueName } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'

interface Thing {
  kind: string
  name: string
  href: string
}

test.group('Command palette', () => {
  test('Ctrl+K finds pages, actions and resources, and g, / and ? work as shortcuts', async () => {
    const customer = await makeCustomer()
    const instance = await makeInstance(customer, { name: uniqueName('harbour') })
    const project = await makeProject(instance, { name: uniqueName('Newsletter') })
    const page = await openDashboardAs(customer)
    const palette = page.getByRole('dialog', { name: 'Find pages and resources' })
    const chosen = palette.locator('[role="option"][aria-selected="true"]')

    // Opens the palette and waits until its search field has the focus. Keys typed before are lost.
    const openPalette = async () => {
      await page.keyboard.press('Control+k')
      await palette.locator('[role="combobox"]:focus').waitFor()
    }

    // Typing a resource's name and Enter opens the resource.
    await openPalette()
    await page.keyboard.type(project.name)
    await palette.getByRole('option', { name: project.name }).waitFor()
    await takeScreenshots(page, 'palette', false)
    await assertAccessible(page, 'palette')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/project/${project.id}`)
    await page.getByRole('heading', { name: project.name, level: 1 }).waitFor()

    await openPalette()
    await page.keyboard.type('in')
    await palette.getByRole('option', { name: /^Instances/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    const second = await chosen.innerText()
    await page.keyboard.press('ArrowUp')
    assert.notEqual(await chosen.innerText(), second)
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'hidden' })

    // Choosing an action in the palette opens its form.
    await openPalette()
    await page.keyboard.type('add new project')
    await palette.getByRole('option', { name: 'Add New Project' }).waitFor()
    await page.keyboard.press('Enter')
    // Escape closes the form only after the form has got the focus.
    await page.getByRole('dialog', { name: 'Add New Project' }).locator(':focus').waitFor()
    await page.keyboard.press('Escape')

    // G, D opens the dashboard; / focuses the search field of a list.
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await openDashboardByKeys(page)
    await visit(page, '/project/list')
    await page.keyboard.press('/')
    assert.equal(await page.evaluate('document.activeElement.getAttribute("inputmode")'), 'search')
    // In a text field, shortcut keys type text instead.
    await page.keyboard.type('g?')
    assert.equal(await page.getByLabel(/^Search by/).inputValue(), 'g?')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.getByText('Search the list on this page').waitFor()
    await takeScreenshots(page, 'palette-keys', false)
    await assertAccessible(page, 'keys')
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'hidden' })

    // Keywords find the entry Logout, although its label does not contain them.
    await openPalette()
    await page.keyboard.type('sign out')
    await palette.getByRole('option', { name: 'Logout' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/login')
  })

  test('each person finds only results that they may open', async () => {
    const [owner, other] = [await makeCustomer(), await makeCustomer()]
    const name = uniqueName('mooring')
    const instance = await makeInstance(owner, { name })
    const project = await makeProject(instance, { name: `${name} site` })
    await Member.query().where('personId', other.id).delete()
    const asked = async (who: typeof owner, words = name) => {
      const prefix = who.audience === 'staff' ? '/admin' : ''
      const visitor = await signIn(who)
      const { status, json } = await visitor.get(
        `${prefix}/find?words=${encodeURIComponent(words)}`
      )
      assert.equal(status, 200)
      return (json.data!.things as Thing[]).map(({ href }) => href)
    }
    assert.deepEqual(await asked(owner), [
      `/server-instance/${instance.id}`,
      `/project/${project.id}`,
    ])
    assert.deepEqual(await asked(await makeCustomer()), [])
    assert.deepEqual(await asked(other), [])
    const support = await makeStaff('support')
    assert.deepEqual(await asked(support), [
      `/admin/server-instance/${instance.id}`,
      `/admin/project/${project.id}`,
    ])
    assert.ok((await asked(support, owner.email)).includes(`/admin/customer/${owner.id}`))
    // SQL wildcards in the search text match only the same characters.
    assert.deepEqual(await asked(owner, '%'), [])
    assert.deepEqual(await asked(owner, '%%%'), [])
    const sender = await makeSender(owner)
    const database = await Database.create({
      accountId: owner.id,
      serverInstanceId: instance.id,
      engine: 'mysql',
      name: `${name.replaceAll('-', '_')}_db`,
      status: 'active',
    })
    assert.deepEqual(await asked(owner, sender.email), [`/email/${sender.id}`])
    assert.deepEqual(await asked(support, sender.email), [`/admin/email/${sender.id}`])
    assert.deepEqual(await asked(owner, database.name), [`/database/mysql/${database.id}`])
    assert.deepEqual(await asked(support, database.name), [`/admin/server-instance/${instance.id}`])
    assert.deepEqual(await asked(await makeCustomer(), database.name), [])
    assert.deepEqual(await asked(owner, owner.email), ['/profile/members'])
    assert.ok(
      (await asked(support, support.email)).includes(
        `/admin/staff/list?search=${encodeURIComponent(support.email)}`
      )
    )
    // A member with the billing role finds no instances, projects, databases and senders.
    const billing = await makeCustomer()
    await Member.query().where('personId', billing.id).delete()
    await Member.create({ accountId: owner.id, personId: billing.id, role: 'billing' })
    assert.deepEqual(await asked(billing), [])
    for (const hidden of [database.name, sender.email]) {
      assert.deepEqual(await asked(billing, hidden), [])
    }
  })
})

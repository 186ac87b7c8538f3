import { allowLocalServersInTests } from '#git/repository_address'
import { git, type GitServer, startGitServer, UNPRIVILEGED_USER } from '#git/tests/git_server'
import {
  commit,
  type GitTestMachine,
  startGitTestMachine,
  newOwner,
  newRepository,
  publish,
} from '#git/tests/support'
import { startSshGitServer } from '#git/tests/ssh_server'
import { assertAccessibleInBothColorSchemes } from '#tests/support/accessibility'
import {
  openBrowser,
  takeScreenshot,
  waitForToast,
  visit,
  openPageAs,
  signInByRequest,
} from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { uniqueName } from '#tests/support/hosts'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { chown, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const login = { username: 'ana', password: 'a quay at low tide' }

test.group('Git in the file manager', (group) => {
  let ground: GitTestMachine
  let server: GitServer
  const stops: (() => unknown)[] = []

  group.setup(async () => {
    ground = await startGitTestMachine()
    stops.push(() => ground.end())
    const served = join(ground.outside, 'served')
    await mkdir(served)
    await chown(served, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    const source = await newRepository(join(ground.outside, 'source'))
    await git(source, 'switch', '-q', '-c', 'feature')
    await commit(source, 'feature.txt', 'of the feature\n')
    await git(source, 'switch', '-q', 'main')
    await publish(source, join(served, 'site.git'))
    server = await startGitServer(served, login)
    stops.push(() => server.close())
    allowLocalServersInTests(true)
    stops.push(() => allowLocalServersInTests(false), await startWorker())
    return async () => {
      for (const stop of stops.reverse()) await stop()
    }
  })
  group.each.teardown(() => {
    server.before = () => false
  })

  const fill = async (page: Page, directory: string) => {
    // The form rejects http:// links, but the test's server has no certificate. The request therefore gets another
    // URL.
    await page.route('**/git/clone', (route) => {
      const data = { ...route.request().postDataJSON(), repository: `${server.url}/site.git` }
      return route.continue({ postData: JSON.stringify(data) })
    })
    await page.getByRole('button', { name: 'Clone', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Clone a repository' })
    await form.getByLabel('Repository link').fill('https://git.example.com/site.git')
    await form.getByLabel('Git username').fill(login.username)
    await form.getByLabel(/^Git password/).fill(login.password)
    await form.getByLabel('Directory').fill(directory)
    return form
  }
  const confirm = async (page: Page) => {
    await page.getByRole('button', { name: 'Clone', exact: true }).last().click()
    await page.getByText('Confirm cloning...').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Clone', exact: true }).click()
    await page.getByText('Download the repository').waitFor()
  }
  const choose = async (page: Page, branch: string, action: string | RegExp) => {
    await page.getByRole('button', { name: /^Branch / }).click()
    await page.getByRole('menuitem', { name: branch }).first().click()
    await page.getByRole('menuitem', { name: action }).click()
  }

  test('clone, check out, merge and delete a branch', async () => {
    const { person } = await newOwner(ground)
    const page = await openPageAs(person)
    await visit(page, '/file-manager')
    const name = uniqueName('site')
    const form = await fill(page, name)
    await takeScreenshot(page, 'git-clone')
    await assertAccessibleInBothColorSchemes(page, 'git-clone')
    await confirm(page)
    await form.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('button', { name: 'Branch main' }).waitFor()
    await page.getByRole('link', { name: 'readme.txt' }).waitFor()

    await page.getByRole('button', { name: 'Branch main' }).click()
    await page.getByRole('group', { name: 'Local branches' }).getByText('main').waitFor()
    await page.getByRole('group', { name: 'origin' }).getByText('origin/feature').waitFor()
    await takeScreenshot(page, 'git-branches')
    await assertAccessibleInBothColorSchemes(page, 'git-branches')
    await page.keyboard.press('Escape')

    await choose(page, 'origin/feature', 'Check out')
    await waitForToast(page, 'feature is checked out.')
    await page.getByRole('button', { name: 'Branch feature' }).waitFor()
    await page.getByRole('link', { name: 'feature.txt' }).waitFor()
    await choose(page, 'main', 'Check out')
    await page.getByRole('button', { name: 'Branch main' }).waitFor()
    await page.getByRole('link', { name: 'feature.txt' }).waitFor({ state: 'detached' })
    await choose(page, 'feature', 'Merge into main')
    await waitForToast(page, 'feature is merged into the current branch.')
    await page.getByRole('link', { name: 'feature.txt' }).waitFor()
    await choose(page, 'feature', 'Delete')
    await page.getByText('Sure to delete: feature').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete branch' }).click()
    await waitForToast(page, 'feature deleted.')
    const folder = join(ground.root, name)
    assert.equal(await readFile(join(folder, 'feature.txt'), 'utf8'), 'of the feature\n')
    assert.equal((await git(folder, 'branch', '--format=%(refname:short)')).trim(), 'main')
  }).timeout(1_800_000)

  test('a cancelled clone leaves nothing, on a phone in the dark scheme', async () => {
    const { person } = await newOwner(ground)
    const page = await openPageAs(person, { width: 390, scheme: 'dark' })
    await visit(page, '/file-manager')
    // The server does not respond until the customer cancels.
    server.before = () => true
    const name = uniqueName('slow')
    const form = await fill(page, name)
    await takeScreenshot(page, 'git-clone-phone-dark')
    await confirm(page)
    await eventually(async () => assert.equal((await hidden()).length, 1))
    await takeScreenshot(page, 'git-cloning-phone-dark')
    await form.getByRole('button', { name: /^Cancel: Cloning/ }).click()
    await form.getByText('Cancelled. Nothing was changed.').waitFor()
    await eventually(async () => assert.deepEqual(await hidden(), []))
    assert.ok(!(await readdir(ground.root)).includes(name))
    await takeScreenshot(page, 'git-cancelled-phone-dark')
    const wider = 'document.documentElement.scrollWidth > window.innerWidth'
    assert.equal(await page.evaluate(wider), false)

    server.before = () => false
    await form.getByRole('button', { name: 'Edit and try again' }).click()
    await form.getByLabel(/^Git password/).fill(login.password)
    await confirm(page)
    await form.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('button', { name: 'Branch main' }).click()
    await page.getByRole('group', { name: 'origin' }).getByText('origin/feature').waitFor()
    await takeScreenshot(page, 'git-branches-phone-dark')
  }).timeout(1_800_000)

  test('clones over SSH with a deploy key, after the server’s key is confirmed', async () => {
    const ssh = await startSshGitServer()
    try {
      const { person } = await newOwner(ground)
      const { context, page } = await openBrowser()
      await signInByRequest(page, person)
      await visit(page, '/file-manager')
      await ssh.publish(join(ground.outside, 'source'), 'keyed')
      const name = uniqueName('keyed')
      await page.getByRole('button', { name: 'Clone', exact: true }).click()
      const form = page.getByRole('dialog', { name: 'Clone a repository' })
      await form.getByLabel('Repository link').fill(ssh.link('keyed'))
      await form.getByLabel('Directory').fill(name)
      await form.getByRole('button', { name: 'Show deploy key' }).click()
      const key = await form.locator('code').textContent()
      await ssh.admit(key!)
      await takeScreenshot(page, 'git-deploy-key')
      await assertAccessibleInBothColorSchemes(page, 'git-deploy-key')
      await page.setViewportSize({ width: 390, height: 844 })
      await takeScreenshot(page, 'git-deploy-key-phone')
      await page.setViewportSize({ width: 1280, height: 800 })
      await form.getByRole('button', { name: 'Clone', exact: true }).click()
      await page.getByText('Confirm cloning...').waitFor()
      await form.getByRole('button', { name: 'Clone', exact: true }).click()
      await form.getByText(ssh.fingerprint, { exact: true }).waitFor()
      await takeScreenshot(page, 'git-server-key')
      await assertAccessibleInBothColorSchemes(page, 'git-server-key')
      await form.getByRole('button', { name: 'Trust and clone' }).click()
      await form.getByRole('button', { name: 'Close' }).last().click()
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('link', { name: 'readme.txt' }).waitFor()
      await context.close()
    } finally {
      await ssh.stop()
    }
  }).timeout(1_800_000)

  test('resolves a conflict and removes a stale lock', async () => {
    const { person } = await newOwner(ground)
    const page = await openPageAs(person)
    const name = uniqueName('torn')
    const folder = await newRepository(join(ground.root, name))
    await commit(folder, 'style.css', 'body { color: black }\n')
    await git(folder, 'switch', '-q', '-c', 'feature')
    await commit(folder, 'readme.txt', 'theirs\n')
    await commit(folder, 'style.css', 'body { color: green }\n')
    await git(folder, 'switch', '-q', 'main')
    await commit(folder, 'readme.txt', 'ours\n')
    await git(folder, 'rm', '-q', 'style.css')
    await git(folder, 'commit', '-q', '-m', 'No style')
    await visit(page, `/file-manager?path=${name}`)
    await choose(page, 'feature', 'Merge into main')
    await page.getByText(/changed the same lines/).waitFor()
    await takeScreenshot(page, 'git-conflict-asked')
    await page.getByRole('button', { name: 'Resolve conflicts' }).click()
    const dialog = page.getByRole('dialog', { name: 'Resolve conflicts' })
    await dialog.getByLabel('Text of ours').filter({ hasText: 'ours' }).waitFor()
    await dialog.locator('.cm-deletedChunk').filter({ hasText: 'ours' }).waitFor()
    await takeScreenshot(page, 'git-conflicts')
    await assertAccessibleInBothColorSchemes(page, 'git-conflicts')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await dialog.getByRole('button', { name: 'Edit text' }).click()
    await takeScreenshot(page, 'git-conflicts-phone')
    const wider = 'document.documentElement.scrollWidth > window.innerWidth'
    assert.equal(await page.evaluate(wider), false)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    await dialog.getByRole('textbox', { name: 'File text' }).fill('both\n')
    await dialog.getByRole('button', { name: 'Use this text' }).click()
    await dialog.getByText('deleted').waitFor()
    await dialog.getByRole('button', { name: 'Use theirs' }).click()
    await dialog.getByText(/All conflicts are resolved/).waitFor()
    await takeScreenshot(page, 'git-conflicts-solved')
    await dialog.getByRole('button', { name: 'Finish merge' }).click()
    await waitForToast(page, 'The merge is finished.')
    assert.equal(await readFile(join(folder, 'readme.txt'), 'utf8'), 'both\n')
    assert.equal(await git(folder, 'status', '--porcelain'), '')

    const old = new Date(Date.now() - 60_000)
    await writeFile(join(folder, '.git/index.lock'), '')
    await utimes(join(folder, '.git/index.lock'), old, old)
    await choose(page, 'feature', 'Check out')
    await page.getByText(/left its lock/).waitFor()
    await takeScreenshot(page, 'git-locked')
    const remove = page.getByRole('button', { name: 'Remove the lock' })
    await remove.click()
    await remove.waitFor({ state: 'detached' })
    await eventually(async () => {
      assert.ok(!(await readdir(join(folder, '.git'))).includes('index.lock'))
    })
    await choose(page, 'feature', 'Check out')
    await waitForToast(page, 'feature is checked out.')
  }).timeout(1_800_000)

  async function hidden(): Promise<string[]> {
    return (await readdir(ground.root)).filter((name) => name.startsWith('.berth-'))
  }
})

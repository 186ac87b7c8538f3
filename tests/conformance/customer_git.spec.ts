/// <reference lib="dom" />
import { git } from '#git/tests/git_server'
import {
  commit,
  type GitTestMachine,
  startGitTestMachine,
  newOwner,
  newRepository,
  publish,
} from '#git/tests/support'
import type { ServerInstance } from '#instances/public'
import type { Project } from '#projects/public'
import { makeProject } from '#projects/tests/fixtures'
import { waitForToast, visit } from '#tests/support/browser'
import { uniqueName } from '#tests/support/hosts'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

test.group('Git controls of a project', (group) => {
  let ground: GitTestMachine
  let instance: ServerInstance
  let project: Project
  let folder: string
  const stage = stageOf(group, async () => {
    ground = await startGitTestMachine()
    const owner = await newOwner(ground)
    instance = owner.instance
    return owner.person
  })

  group.setup(() => () => ground.end())
  group.each.setup(async () => {
    const path = uniqueName('site')
    folder = await newRepository(join(ground.root, path))
    await git(folder, 'switch', '-q', '-c', 'feature')
    await commit(folder, 'feature.txt', 'of the feature\n')
    await git(folder, 'switch', '-q', 'main')
    const far = await publish(folder, join(ground.outside, `${path}.git`))
    await git(folder, 'remote', 'add', 'origin', far)
    await git(folder, 'fetch', '-q', 'origin')
    project = await makeProject(instance, { name: path, path })
  })
  const choices = async (branch: string) => {
    const { page } = stage
    await page.getByRole('button', { name: /^Branch / }).click()
    await page.getByRole('menuitem', { name: branch }).first().click()
    await page.getByText(branch, { exact: true }).first().waitFor()
    return page.getByRole('menuitem')
  }
  const current = async () => (await git(folder, 'branch', '--show-current')).trim()

  proves(
    ['C2.50', 'C3.14', 'C4.20', 'C4.21', 'C4.22', 'C7.19', 'C7.20', 'C7.21', 'C7.22'],
    async () => {
      const { page } = stage
      const details = page.waitForResponse((one) => one.url().includes('/git/details'))
      await visit(page, `/project/${project.id}`)
      const answered = await details
      const query = new URL(answered.url()).searchParams
      assert.deepEqual(
        [query.get('path'), query.get('project_id')],
        [project.path, String(project.id)]
      )
      const body = (await answered.json()) as { success: boolean; data: { git: unknown } }
      assert.equal(body.success, true)
      const { path, branches } = body.data.git as { path: string; branches: unknown }
      assert.deepEqual(
        [path, branches],
        [
          project.path,
          {
            current: 'main',
            locals: ['feature', 'main'],
            remotes: { origin: ['feature', 'main'] },
          },
        ]
      )
      await page.getByRole('banner').first().waitFor()
      const own = (await (await choices('main')).allInnerTexts()).join(' ')
      assert.doesNotMatch(own, /Merge|Pull/)
      await page.keyboard.press('Escape')
      const far = (await (await choices('origin/feature')).allInnerTexts()).join(' ')
      assert.match(far, /Check out.*Merge into main.*Pull into main/)
      assert.doesNotMatch(far, /Delete/)
      await page.keyboard.press('Escape')

      const run = async (branch: string, action: string, call: string) => {
        const all = await choices(branch)
        const asked = page.waitForRequest(`**${call}`)
        await all.filter({ hasText: action }).first().click()
        if (action === 'Delete') {
          await page.getByText(`Sure to delete: ${branch}`).waitFor()
          await page.getByRole('dialog').getByRole('button', { name: 'Delete branch' }).click()
        }
        const { server_instance_id: _, ...sent } = (await asked).postDataJSON() as Record<
          string,
          unknown
        >
        assert.equal((await (await asked).response())!.status(), 200)
        return sent
      }
      const place = { path: project.path, project_id: project.id }
      assert.deepEqual(await run('feature', 'Check out', '/git/checkout'), {
        ...place,
        branch: 'feature',
      })
      await waitForToast(page, 'feature is checked out.')
      assert.equal(await current(), 'feature')
      await page.getByRole('button', { name: 'Branch feature' }).waitFor()
      await run('main', 'Check out', '/git/checkout')
      await page.getByRole('button', { name: 'Branch main' }).waitFor()
      assert.deepEqual(await run('feature', 'Merge into main', '/git/update-branch'), {
        ...place,
        branch: 'feature',
        action: 'merge',
      })
      await waitForToast(page, 'feature is merged into the current branch.')
      assert.match(await git(folder, 'ls-files'), /feature\.txt/)
      assert.deepEqual(await run('feature', 'Delete', '/git/delete-branch'), {
        ...place,
        branch: 'feature',
      })
      await waitForToast(page, 'feature deleted.')
      assert.equal((await git(folder, 'branch', '--format=%(refname:short)')).trim(), 'main')
    }
  )
})

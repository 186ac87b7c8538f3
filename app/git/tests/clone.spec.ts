import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { allowLocalServersInTests } from '#git/repository_address'
import { parseCloneProgress } from '#git/clone_progress'
import type { Person } from '#identity/public'
import { renderStarterPage, STARTER_TEXTS } from '#guest/public_effects'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { git, type GitServer, startGitServer, UNPRIVILEGED_USER } from '#git/tests/git_server'
import {
  type GitTestMachine,
  startGitTestMachine,
  newOwner,
  newRepository,
  publish,
  put,
} from '#git/tests/support'

const run = promisify(execFile)
const login = { username: 'ana', password: `$(id)'"; very secret ${randomUUID()}` }

test.group('Clones', (group) => {
  let ground: GitTestMachine
  let server: GitServer
  let person: Person
  let browser: Visitor
  let instanceId: number

  group.setup(async () => {
    ground = await startGitTestMachine()
    const served = join(ground.outside, 'served')
    await mkdir(join(served, 'private'), { recursive: true })
    await chown(served, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    await chown(join(served, 'private'), UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    const source = await newRepository(join(ground.outside, 'source'))
    await git(source, 'branch', 'feature')
    await publish(source, join(served, 'open.git'))
    await publish(source, join(served, 'private/shop.git'))
    server = await startGitServer(served, login)
    const owner = await newOwner(ground)
    person = owner.person
    browser = owner.browser
    instanceId = owner.instance.id
    allowLocalServersInTests(true)
    return async () => {
      allowLocalServersInTests(false)
      await server.close()
      await ground.end()
    }
  })
  group.each.teardown(() => {
    server.before = () => false
  })

  const ask = (more: Record<string, unknown>) =>
    browser.post('/git/clone', {
      repository: `${server.url}/private/shop.git`,
      ...login,
      directory: '',
      path: '',
      ...more,
    })
  async function clone(more: Record<string, unknown>): Promise<Operation> {
    const answer = await ask(more)
    if (answer.status !== 202) throw new Error(`Not started: ${answer.status} ${answer.text}`)
    const { id } = answer.json.data!.operation as { id: string }
    await runSteps(id)
    return Operation.findOrFail(id)
  }
  const leftovers = async (folder: string) =>
    (await readdir(folder)).filter((name) => name.startsWith('.berth-'))

  test('clones a private repository and stores no secret', async ({ assert }) => {
    const seen: string[] = []
    server.before = async () => {
      seen.push((await run('ps', ['axww', '-o', 'args'])).stdout)
      return false
    }
    const directory = `sites/${randomUUID()} $(x)`
    const operation = await clone({ directory })
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.deepEqual(operation.result, { path: directory })
    assert.equal(operation.input.credentials, null)
    const folder = join(ground.root, directory)
    assert.equal(await readFile(join(folder, 'readme.txt'), 'utf8'), 'one\n')
    assert.deepEqual(await leftovers(join(ground.root, 'sites')), [])

    const config = await readFile(join(folder, '.git/config'), 'utf8')
    assert.include(config, `${server.url}/private/shop.git`)
    assert.isNotEmpty(seen)
    const stored = JSON.stringify(operation.serialize())
    for (const text of [config, stored, ...seen]) assert.notInclude(text, 'very secret')

    const details = await browser.get(`/git/details?path=${encodeURIComponent(directory)}`)
    assert.deepInclude(details.json.data!.git as object, { path: directory })
    const info = details.json.data!.git as { branches: object }
    assert.deepEqual(info.branches, {
      current: 'main',
      locals: ['main'],
      remotes: { origin: ['feature', 'main'] },
    })
  })

  test('clones a public repository without user name and password', async ({ assert }) => {
    for (const more of [
      { username: undefined, password: undefined },
      { username: '', password: '' },
      { username: 'ana', password: null },
    ]) {
      const directory = randomUUID()
      const operation = await clone({ repository: `${server.url}/open.git`, directory, ...more })
      assert.equal(operation.status, 'done', operation.error ?? '')
      assert.isTrue(existsSync(join(ground.root, directory, 'readme.txt')))
    }
    const directory = randomUUID()
    const refused = await clone({ directory, username: '', password: '' })
    assert.equal(refused.status, 'failed')
    assert.match(refused.error ?? '', /^The git server asks for a user name and password/)
    assert.isFalse(existsSync(join(ground.root, directory)))
  })

  test('credentials of a waiting clone are encrypted', async ({ assert }) => {
    const answer = await ask({ directory: randomUUID() })
    const { id } = answer.json.data!.operation as { id: string }
    const waiting = await Operation.findOrFail(id)
    assert.isString(waiting.input.credentials)
    assert.notInclude(JSON.stringify(waiting.serialize()), 'very secret')
    assert.notInclude(answer.text, 'very secret')
    await runSteps(id)
  })

  test('clones into the current folder if it is empty', async ({ assert }) => {
    const name = randomUUID()
    await mkdir(join(ground.root, name))
    await chown(join(ground.root, name), UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    const operation = await clone({ path: name, directory: '.' })
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.isTrue(existsSync(join(ground.root, name, '.git/HEAD')))
    const again = await ask({ path: name, directory: '/' })
    assert.equal(again.status, 409)
    assert.property(again.json.errors, 'directory')
  })

  test('replaces only an unchanged starter page', async ({ assert }) => {
    for (const [kind, page] of [
      ['html', 'index.html'],
      ['php', 'index.php'],
    ] as const) {
      const name = randomUUID()
      const folder = join(ground.root, name)
      await mkdir(folder)
      await chown(folder, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
      const starter = renderStarterPage('My <shop>', STARTER_TEXTS[kind][0])
      await put(folder, page, `${starter} `)
      assert.equal((await ask({ path: name })).status, 409)
      await put(folder, page, starter)
      await put(folder, 'own.txt', 'mine')
      assert.equal((await ask({ path: name })).status, 409)
      await rm(join(folder, 'own.txt'))
      const operation = await clone({ path: name })
      assert.equal(operation.status, 'done', operation.error ?? '')
      assert.equal(operation.result?.starterPage, page)
      assert.sameMembers(await readdir(folder), ['.git', 'readme.txt'])
    }
    assert.deepEqual(await leftovers(ground.root), [])
  })

  test('a rejected or interrupted clone leaves no files', async ({ assert }) => {
    const directory = randomUUID()
    const refused = await clone({ directory, password: 'wrong one' })
    assert.equal(refused.status, 'failed')
    assert.include(refused.error, 'did not accept')
    assert.equal(refused.input.credentials, null)

    server.before = (request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
      response.write('0008NAK\n')
      setImmediate(() => response.destroy())
      return true
    }
    const cut = await clone({ directory })
    assert.equal(cut.status, 'failed')
    assert.isFalse(existsSync(join(ground.root, directory)))
    assert.deepEqual(await leftovers(ground.root), [])
  })

  test('follows no redirect to another address', async ({ assert }) => {
    server.before = (request, response) => {
      if (!request.url!.startsWith('/moved')) return false
      const to = request.url!.replace('/moved', '/private/shop')
      response.writeHead(301, { location: `${server.url}${to}` }).end()
      return true
    }
    const operation = await clone({
      repository: `${server.url}/moved.git`,
      directory: randomUUID(),
    })
    assert.equal(operation.status, 'failed')
    assert.include(operation.error, 'another one')
  })

  test('an interrupted clone restarts and deletes incomplete files', async ({ assert }) => {
    const directory = randomUUID()
    const answer = await ask({ directory })
    const { id } = answer.json.data!.operation as { id: string }
    const left = `.berth-clone-${randomUUID()}`
    await mkdir(join(ground.root, left))
    await chown(join(ground.root, left), UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    await put(join(ground.root, left), 'half', 'x')
    const operation = await Operation.findOrFail(id)
    operation.merge({
      status: 'running',
      state: { temporaries: [left] },
      steps: operation.steps.map((step, at) =>
        at ? step : { ...step, status: 'running' as const }
      ),
    })
    await operation.save()
    await runSteps(id)
    await operation.refresh()
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.isTrue(existsSync(join(ground.root, directory, 'readme.txt')))
    assert.deepEqual(await leftovers(ground.root), [])
  })

  test('lists submodules and Git LFS files without downloading them', async ({ assert }) => {
    const source = await newRepository(join(ground.outside, randomUUID()))
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 9\n`
    await put(source, 'big photo.jpg', pointer)
    await put(source, 'plain.txt', 'about version https://git-lfs.github.com/spec/v1\n')
    const addresses = ['ext::touch planted', 'file:///etc', '../open.git', '-u./planted']
    const modules = addresses.map(
      (url, index) => `[submodule "m${index}"]\n\tpath = lib/m${index}\n\turl = ${url}\n`
    )
    await put(source, '.gitmodules', modules.join(''))
    await git(source, 'add', '.')
    const commitId = (await git(source, 'rev-parse', 'HEAD')).trim()
    for (const index of addresses.keys())
      await git(source, 'update-index', '--add', '--cacheinfo', `160000,${commitId},lib/m${index}`)
    await git(source, 'commit', '-q', '-m', 'Add submodules')
    await publish(source, join(ground.outside, 'served/modules.git'))
    const directory = randomUUID()
    const before = server.asked.length
    const { json, text } = await ask({ repository: `${server.url}/modules.git`, directory })
    const { id } = (json.data?.operation ?? { id: text }) as { id: string }
    await runSteps(id)
    const operation = await Operation.findOrFail(id)
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.deepEqual(operation.result?.submodules, ['lib/m0', 'lib/m1', 'lib/m2', 'lib/m3'])
    assert.deepEqual(operation.result?.lfsFiles, ['big photo.jpg'])
    const note = operation.steps.at(-1)?.note ?? ''
    assert.match(note, /Submodules were not downloaded.*lib\/m0.*in Git LFS.*big photo\.jpg/)
    assert.isTrue(server.asked.slice(before).every((path) => path.startsWith('/modules.git/')))
    const folder = join(ground.root, directory)
    assert.deepEqual(await readdir(join(folder, 'lib/m0')), [])

    // Submodules `m0` and `m3` stay empty, `m1` is at another commit, and `m2` is complete.
    await newRepository(join(folder, 'lib/m1'))
    // Without it, the commit could have the same id as the one of the same second in the source.
    await git(join(folder, 'lib/m1'), 'commit', '-q', '--allow-empty', '-m', 'Another commit')
    await git(join(folder, 'lib/m2'), 'clone', '-q', source, '.')
    await git(join(folder, 'lib/m2'), 'reset', '-q', '--hard', commitId)
    await git(folder, 'branch', 'other')
    const place = { path: directory, server_instance_id: instanceId }
    const out = await browser.post('/git/checkout', { ...place, branch: 'other' })
    const named = 'or at another commit: lib/m0, lib/m3, lib/m1. Run'
    assert.include(out.json.message, `other is checked out. Submodules were not downloaded`)
    assert.include(out.json.message, named)
    assert.include(out.json.message, 'was not downloaded: big photo.jpg.')

    await put(source, '-new one.jpg', pointer)
    await git(source, 'add', '--', '-new one.jpg')
    await git(source, 'commit', '-q', '-m', 'Add a file')
    await git(source, 'push', '-q', join(ground.outside, 'served/modules.git'), 'main')
    await rm(join(folder, 'plain.txt'))
    const update = { ...place, branch: 'origin/main', action: 'pull' }
    const pulled = await browser.post('/git/update-branch', update)
    assert.include(pulled.json.message, 'origin/main is pulled into the current branch. Submodules')
    assert.include(pulled.json.message, 'was not downloaded: -new one.jpg, big photo.jpg.')
    assert.equal(
      (await browser.post('/git/update-branch', update)).json.message,
      'The branch is already up to date.'
    )
  })

  test('a link cannot lead a clone out of the web root', async ({ assert }) => {
    for (const directory of ['../out', 'a/../../out', '..', 'x\0y']) {
      assert.equal((await ask({ directory })).status, 422, directory)
    }
    assert.equal((await ask({ path: '../..' })).status, 422)
    const link = randomUUID()
    await symlink(ground.outside, join(ground.root, link))
    assert.equal((await ask({ path: link, directory: 'new' })).status, 422)
    assert.equal((await ask({ path: '', directory: `${link}/new` })).status, 422)
    assert.isFalse(existsSync(join(ground.outside, 'new')))
  })

  test('requires the URL, and a user name only with a password', async ({ assert }) => {
    const answer = await ask({ repository: '', username: '', password: 'secret' })
    assert.equal(answer.status, 422)
    assert.sameMembers(Object.keys(answer.json.errors!), ['repository', 'username'])
    const split = await ask({ password: 'a\nhost=elsewhere' })
    assert.property(split.json.errors, 'password')
  })

  test('runs no helper programs and connects to no private network', async ({ assert }) => {
    allowLocalServersInTests(false)
    try {
      const before = server.asked.length
      for (const repository of [
        `${server.url}/private/shop.git`,
        'https://127.0.0.1/x.git',
        'https://169.254.169.254/latest',
        'ext::sh -c id',
        '--upload-pack=id',
        'file:///etc',
      ]) {
        const answer = await ask({ repository, directory: randomUUID() })
        assert.equal(answer.status, 422, repository)
        assert.property(answer.json.errors, 'repository')
      }
      assert.lengthOf(server.asked, before)
    } finally {
      allowLocalServersInTests(true)
    }
  })

  test('customers cannot use git on instances of other accounts', async ({ assert }) => {
    const stranger = await signIn(await makeCustomer())
    const calls = {
      '/git/checkout': { branch: 'main' },
      '/git/update-branch': { branch: 'main', action: 'merge' },
      '/git/delete-branch': { branch: 'main' },
      '/git/clone': { repository: `${server.url}/open.git`, ...login },
    }
    for (const place of [{ server_instance_id: instanceId }, { project_id: 1 }]) {
      const unknown = { server_instance_id: 999_999_999 }
      const [[name, id]] = Object.entries(place)
      const read = await stranger.get(`/git/details?path=&${name}=${id}`)
      assert.equal(read.status, 404)
      for (const [path, body] of Object.entries(calls)) {
        const answer = await stranger.post(path, { ...body, path: '', ...place })
        assert.equal(answer.status, 404, path)
        if (!('server_instance_id' in place)) continue
        const other = await stranger.post(path, { ...body, path: '', ...unknown })
        assert.deepEqual(answer.json, other.json)
      }
    }
    assert.equal((await stranger.get('/git/details?path=')).status, 409)
    assert.equal(person.audience, 'customer')
  })

  test('the API reports, checks out, merges and deletes branches with the specified responses', async ({
    assert,
  }) => {
    const name = randomUUID()
    const folder = await newRepository(join(ground.root, name))
    await git(folder, 'branch', 'done')
    const place = { path: `/${name}`, server_instance_id: instanceId }
    const none = await browser.get('/git/details?path=/')
    assert.deepEqual(none.json, { success: true, message: '', data: { git: null } })
    const out = await browser.post('/git/checkout', { ...place, branch: 'done' })
    assert.deepInclude(out.json, { success: true, message: 'done is checked out.' })
    const update = { ...place, branch: 'main', action: 'merge' }
    assert.equal(
      (await browser.post('/git/update-branch', update)).json.message,
      'The branch is already up to date.'
    )
    const wrong = await browser.post('/git/update-branch', { ...update, action: 'rebase' })
    assert.equal(wrong.status, 422)
    const gone = await browser.post('/git/delete-branch', { ...place, branch: 'main' })
    assert.deepEqual(gone.json, { success: true, message: 'main deleted.' })
    await rm(folder, { recursive: true })
    assert.equal((await browser.get(`/git/details?path=${name}`)).status, 404)
  })

  test('reports its progress', ({ assert }) => {
    const line = 'Receiving objects:  50% (5/10), 1.20 MiB | 2.00 MiB/s'
    assert.deepEqual(parseCloneProgress(line), { note: 'Receiving 50%, 1.20 MiB', progress: 0.4 })
    assert.isNull(parseCloneProgress('remote: Counting objects: 100% (5/5)'))
  })
})

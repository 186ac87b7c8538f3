import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { RepositoryAddress, allowLocalServersInTests } from '#git/repository_address'
import { deleteDeployKeysOfInstance, ensureDeployKey, loadSshCredentials } from '#git/deploy_keys'
import { sshKeyFingerprint, findPinnedKey } from '#git/host_keys'
import { gitScriptArgv, gitConfigArguments } from '#git/machine/run_git'
import DeployKey from '#git/models/deploy_key'
import GitHostKey from '#git/models/git_host_key'
import { parseSshRemote } from '#git/ssh_remote'
import { makeInstance } from '#guest/tests/instances'
import type { ServerInstance } from '#instances/public'
import { generateKeyPair } from '#packages/machine/main'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import type { Person } from '#identity/public'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { git } from '#git/tests/git_server'
import {
  commit,
  type GitTestMachine,
  startGitTestMachine,
  newOwner,
  newRepository,
} from '#git/tests/support'
import { type SshGitServer, startSshGitServer } from '#git/tests/ssh_server'

const run = promisify(execFile)

/** Returns a line of a private key that no other key contains. */
function secretOf(privateKey: string): string {
  return privateKey.split('\n')[3]
}

test.group('Git over SSH', (group) => {
  let ground: GitTestMachine
  let server: SshGitServer
  let source: string
  let person: Person
  let browser: Visitor
  let instance: ServerInstance

  group.setup(async () => {
    ground = await startGitTestMachine()
    server = await startSshGitServer()
    source = await newRepository(join(ground.outside, 'source'))
    ;({ person, browser, instance } = await newOwner(ground))
    allowLocalServersInTests(true)
    return async () => {
      allowLocalServersInTests(false)
      await server.stop()
      await ground.end()
    }
  })

  const ask = (repository: string, more: Record<string, unknown> = {}) =>
    browser.post('/git/clone', { repository, directory: randomUUID(), path: '', ...more })
  /**
   * Publishes a repository on a server. Makes the account trust the server, and the server accept
   * the instance's deploy key.
   */
  async function ready(): Promise<{ name: string; link: string; key: DeployKey }> {
    const name = randomUUID()
    await server.publish(source, name)
    const link = server.link(name)
    const { key } = await ensureDeployKey(instance, parseSshRemote(link)!, false)
    await server.admit(key.publicKey)
    const asked = await ask(link)
    if (asked.json.code === 'host_key_unknown') await ask(link, { host_key: server.fingerprint })
    return { name, link, key }
  }
  async function clone(link: string, directory: string): Promise<Operation> {
    const answer = await ask(link, { directory })
    if (answer.status !== 202) throw new Error(`Not started: ${answer.status} ${answer.text}`)
    const { id } = answer.json.data!.operation as { id: string }
    await runSteps(id)
    return Operation.findOrFail(id)
  }
  const allAgents = async () =>
    (await run('ps', ['axww', '-o', 'pid=,args='])).stdout.match(/^ *\d+ ssh-agent/gm) ?? []
  // Agents that were running before these tests, which do not count.
  let others: string[] = []
  group.setup(async () => void (others = await allAgents()))
  const agents = async () => (await allAgents()).filter((agent) => !others.includes(agent))

  const folders = async () =>
    (await readdir('/tmp')).filter((entry) => entry.startsWith('berth-key.'))

  test('clones after the deploy key and the host key are confirmed', async ({ assert }) => {
    const name = randomUUID()
    await server.publish(source, name)
    const link = server.link(name)
    const query = `repository=${encodeURIComponent(link)}&path=`
    const none = await browser.get(`/git/deploy-key?${query}`)
    assert.deepEqual(none.json.data, { deploy_key: null })
    const without = await ask(link)
    assert.equal(without.status, 409)
    assert.equal(without.json.code, 'no_deploy_key')

    const made = await browser.post('/git/deploy-key', { repository: link, path: '' })
    assert.equal(made.status, 201)
    const shown = made.json.data!.deploy_key as { public_key: string }
    assert.match(shown.public_key, /^ssh-ed25519 AAAA\S+ berth-localhost$/)
    const same = await browser.post('/git/deploy-key', { repository: link, path: '' })
    assert.equal(same.status, 200)
    assert.deepEqual(same.json.data!.deploy_key, shown)

    await GitHostKey.query().where({ accountId: instance.accountId }).delete()
    const unknown = await ask(link)
    assert.equal(unknown.status, 409)
    assert.equal(unknown.json.code, 'host_key_unknown')
    assert.deepEqual(unknown.json.errors, { host_key: [server.fingerprint] })
    const other = await ask(link, { host_key: `SHA256:${'a'.repeat(43)}` })
    assert.equal(other.json.code, 'host_key_unknown')

    await server.admit()
    const early = await ask(link, { host_key: server.fingerprint })
    assert.equal(early.status, 202)
    const { id } = early.json.data!.operation as { id: string }
    await runSteps(id)
    const refused = await Operation.findOrFail(id)
    assert.equal(refused.status, 'failed')
    assert.include(refused.error, 'did not accept the deploy key')

    await server.admit(shown.public_key)
    const directory = `sites/${randomUUID()}`
    const operation = await clone(link, directory)
    assert.equal(operation.status, 'done', operation.error ?? '')
    const folder = join(ground.root, directory)
    assert.equal(await readFile(join(folder, 'readme.txt'), 'utf8'), 'one\n')
    assert.equal((await git(folder, 'remote', 'get-url', 'origin')).trim(), link)
  })

  test('the private key appears in no file, process list, environment, response or row', async ({
    assert,
  }) => {
    const { link, key } = await ready()
    const secret = secretOf(key.privateKey)
    assert.isAbove(secret.length, 30)
    const before = await folders()
    const operation = await clone(link, randomUUID())
    assert.equal(operation.status, 'done', operation.error ?? '')
    const seen = await server.seen()
    assert.include(seen, 'ssh-agent')
    assert.include(seen, key.publicKey)
    assert.notInclude(seen, secret)
    await eventually(async () => assert.lengthOf(await agents(), 0))
    assert.deepEqual(await folders(), before)
    const found = await run('grep', ['-rlF', secret, ground.root]).catch(() => null)
    assert.isNull(found)
    assert.notInclude(JSON.stringify(operation.serialize()), 'PRIVATE')
    const row = await db.from('deploy_keys').where('id', key.id).firstOrFail()
    assert.notInclude(JSON.stringify(row), 'PRIVATE')
    assert.notInclude(JSON.stringify(row), secret)
    const shown = await browser.get(`/git/deploy-key?path=&repository=${encodeURIComponent(link)}`)
    assert.notInclude(shown.text, 'PRIVATE')
  })

  test('a killed clone leaves no ssh-agent', async ({ assert, cleanup }) => {
    const { link } = await ready()
    const access = await loadSshCredentials(instance, RepositoryAddress.ofLink(link))
    cleanup(() => server.hold(false))
    await server.hold(true)
    const before = await folders()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const rest = [`.berth-clone-${randomUUID()}`, '', link]
      const allowed = gitConfigArguments({ 'protocol.ssh.allow': 'always' })
      const argv = gitScriptArgv('clone', randomUUID(), [...rest, ...allowed])
      const clone = await ground.machine.spawn(argv, { env: access!.env })
      clone.stdin.end(access!.privateKey)
      clone.stdout.resume()
      clone.stderr.resume()
      await eventually(async () => assert.isNotEmpty(await agents()))
      await clone.kill(signal)
      await clone.exit
      await eventually(async () => assert.lengthOf(await agents(), 0))
      const left = (await folders()).filter((entry) => !before.includes(entry))
      if (signal === 'SIGTERM') assert.deepEqual(left, [])
      for (const entry of left) {
        // At most these two files may remain, but never the private key. If the command was killed
        // before it wrote both, there are fewer.
        assert.includeMembers(['key.pub', 'known_hosts'], await readdir(join('/tmp', entry)))
        await rm(join('/tmp', entry), { recursive: true })
      }
    }
  })

  test("pulls with the deploy key, otherwise with the instance's own key", async ({ assert }) => {
    const { name, link, key } = await ready()
    const directory = randomUUID()
    await clone(link, directory)
    const colleague = join(ground.outside, randomUUID())
    await git(ground.outside, 'clone', '-q', source, colleague)
    await commit(colleague, 'news.txt', 'news\n')
    await server.publish(colleague, name)
    const pull = () =>
      browser.post('/git/update-branch', { path: directory, branch: 'origin/main', action: 'pull' })
    const pulled = await pull()
    assert.equal(pulled.status, 200, pulled.text)
    assert.deepEqual(pulled.json.data, { changed: true })
    assert.isTrue(existsSync(join(ground.root, directory, 'news.txt')))

    await key.delete()
    const alone = await pull()
    assert.equal(alone.status, 409)
    assert.notInclude(alone.json.message, 'deploy key')
  })

  test('a replaced deploy key no longer gives access', async ({ assert }) => {
    const { link, key } = await ready()
    const answer = await browser.post('/git/deploy-key', {
      repository: link,
      path: '',
      replace: true,
    })
    const { public_key: fresh } = answer.json.data!.deploy_key as { public_key: string }
    assert.notEqual(fresh, key.publicKey)
    const refused = await clone(link, randomUUID())
    assert.include(refused.error, 'did not accept the deploy key')
    await server.admit(fresh)
    assert.equal((await clone(link, randomUUID())).status, 'done')
  })

  test('a deploy key belongs to one repository on one instance', async ({ assert }) => {
    const { link, key } = await ready()
    const other = await makeInstance(person)
    const address = RepositoryAddress.ofLink(link)
    assert.isNotNull(await loadSshCredentials(instance, address))
    assert.isNull(await loadSshCredentials(other, address))
    assert.isNull(
      await loadSshCredentials(instance, RepositoryAddress.ofLink(link.replace('.git', '-2.git')))
    )
    const stranger = await signIn(await makeCustomer())
    const place = { path: '', server_instance_id: instance.id, repository: link }
    const query = new URLSearchParams(place as unknown as Record<string, string>)
    assert.equal((await stranger.get(`/git/deploy-key?${query}`)).status, 404)
    assert.equal((await stranger.post('/git/deploy-key', { ...place, replace: true })).status, 404)
    assert.equal((await DeployKey.findOrFail(key.id)).publicKey, key.publicKey)
    await deleteDeployKeysOfInstance(instance)
    assert.isNull(await DeployKey.find(key.id))
  })

  test('a changed host key stops a clone until the person confirms the new key', async ({
    assert,
  }) => {
    const { link } = await ready()
    const answer = await ask(link)
    const { id } = answer.json.data!.operation as { id: string }
    const stored = await GitHostKey.query().where({ accountId: instance.accountId }).firstOrFail()
    const [type, before] = generateKeyPair().publicKey.split(' ')
    const real = { type: stored.type, key: stored.key }
    await stored.merge({ type, key: before }).save()
    const known = sshKeyFingerprint(stored)
    await runSteps(id)
    const operation = await Operation.findOrFail(id)
    assert.equal(operation.status, 'failed')
    for (const text of [known, server.fingerprint]) assert.include(operation.error, text)

    const again = await ask(link)
    assert.equal(again.status, 409)
    assert.equal(again.json.code, 'host_key_changed')
    assert.include(again.json.message, known)
    assert.deepEqual(again.json.errors, { host_key: [server.fingerprint] })
    assert.equal((await ask(link, { host_key: known })).status, 409)
    assert.equal((await ask(link, { host_key: server.fingerprint })).status, 202)
    await stored.refresh()
    assert.deepEqual({ type: stored.type, key: stored.key }, real)
  })

  test('trust in a host key applies to one account', async ({ assert }) => {
    const { link } = await ready()
    const stranger = await newOwner(ground)
    await ensureDeployKey(stranger.instance, parseSshRemote(link)!, false)
    const asked = await stranger.browser.post('/git/clone', { repository: link, path: '' })
    assert.equal(asked.json.code, 'host_key_unknown')
  })

  test('ssh connects only to the checked IP address', async ({ assert }) => {
    const { link } = await ready()
    const access = await loadSshCredentials(instance, RepositoryAddress.ofLink(link))
    const elsewhere = link.replace('localhost', 'git.nowhere.invalid')
    const folder = `.berth-clone-${randomUUID()}`
    const rest = [folder, '', elsewhere, ...gitConfigArguments({ 'protocol.ssh.allow': 'always' })]
    const { code, stderr } = await ground.machine.exec(gitScriptArgv('clone', randomUUID(), rest), {
      env: access!.env,
      stdin: access!.privateKey,
    })
    assert.equal(code, 0, stderr.toString())

    const github = RepositoryAddress.ofLink('git@8.8.8.8:me/shop.git')
    await ensureDeployKey(instance, github.ssh!, false)
    const { host } = github.ssh!
    const { type, key } = await GitHostKey.firstOrFail()
    await GitHostKey.create({ accountId: instance.accountId, host, port: 22, type, key })
    assert.equal((await loadSshCredentials(instance, github))!.env.BERTH_SSH_ADDRESS, '8.8.8.8')
  })

  test('ssh cannot connect to private networks', async ({ assert }) => {
    const { link } = await ready()
    const directory = randomUUID()
    await clone(link, directory)
    allowLocalServersInTests(false)
    try {
      for (const repository of [
        link,
        'git@127.0.0.1:a.git',
        'ssh://git@169.254.169.254/a.git',
        'ssh://git@[::1]/a.git',
        'git@2130706433:a.git',
      ]) {
        await ensureDeployKey(instance, parseSshRemote(repository)!, false)
        const answer = await ask(repository)
        assert.equal(answer.status, 422, repository)
        assert.include(answer.json.message, 'private network')
      }
      const update = { path: directory, branch: 'origin/main', action: 'pull' }
      const pull = await browser.post('/git/update-branch', update)
      assert.equal(pull.status, 409)
      assert.include(pull.json.message, 'private network')
    } finally {
      allowLocalServersInTests(true)
    }
  })

  test('well-known servers have their published host keys', async ({ assert }) => {
    const published = {
      'github.com': 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
      'gitlab.com': 'SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8',
      'bitbucket.org': 'SHA256:ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM',
      'codeberg.org': 'SHA256:mIlxA9k46MmM6qdJOdMnAQpzGxF4WIVVL+fj+wZbw0g',
    }
    for (const [host, expected] of Object.entries(published)) {
      const pinned = await findPinnedKey(instance.accountId, parseSshRemote(`git@${host}:a/b.git`)!)
      assert.equal(sshKeyFingerprint(pinned!), expected)
    }
    const elsewhere = parseSshRemote('ssh://git@github.com:443/a/b.git')!
    assert.isNull(await findPinnedKey(instance.accountId, elsewhere))
  })
})

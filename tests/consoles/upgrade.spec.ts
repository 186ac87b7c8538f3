import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type TestInstallation,
  writeTestRelease,
  startTestInstallation,
} from '../../bench/upgrade/test_installation.js'
import { callAtRate, get, callInSequence, type Sent, upload } from '../../bench/upgrade/load.js'
import type { Caller } from '../../bench/console.js'
import { installRoot } from '../../cli/paths.js'
import { findLinkedRelease, releasesFolder } from '../../cli/release/releases.js'
import { eventually } from '#tests/support/eventually'

const UPGRADED_ROLES = ['web', 'gateway', 'worker', 'vault', 'mail']

/** Source of a backward-compatible migration: it adds a column with a default. */
const added = `import { BaseSchema } from '@adonisjs/lucid/schema'
export default class extends BaseSchema {
  async up() {
    this.schema.raw("alter table people add column of_the_next text not null default ''")
  }
  async down() {}
}`

/** First line of a `bin/role.js` whose web process exits instead of serving pages. */
const NEVER_READY_PROGRAM = `if (process.argv[2] === 'web') { console.log('no anchor'); process.exit(3) }`

const broken = `import { BaseSchema } from '@adonisjs/lucid/schema'
export default class extends BaseSchema {
  async up() {
    this.schema.raw('alter table people drop column name')
  }
  async down() {}
}`

const failures = (sent: Sent[]) =>
  sent.flatMap(({ at, failed }) => (failed ? [{ at, failed }] : []))

test.group('Upgrade', (group) => {
  let ground: TestInstallation
  let first: string
  const sources: string[] = []
  const release = async (...given: Parameters<typeof writeTestRelease>) => {
    const folder = await writeTestRelease(...given)
    sources.push(folder)
    return folder
  }
  const running = async () => {
    const reports = await ground.reports()
    return Object.fromEntries(
      UPGRADED_ROLES.map((role) => [
        role,
        [...new Set(reports.filter((one) => one.role === role).map(({ version }) => version))],
      ])
    )
  }
  const all = (version: string) =>
    Object.fromEntries(UPGRADED_ROLES.map((role) => [role, [version]]))
  const words = async () => {
    const answer = await fetch(`${ground.url}/release.txt`)
    return answer.status === 200 ? answer.text() : answer.status
  }

  group.setup(async () => {
    ground = await startTestInstallation()
    first = (await ground.reports()).find(({ role }) => role === 'web')!.version
    return async () => {
      await ground.stop()
      for (const folder of sources) await rm(join(folder, '..'), { recursive: true, force: true })
    }
  })
  group.each.timeout(1_800_000)

  test('a release that drops a column is rejected before anything changes', async ({ assert }) => {
    const source = await release({
      version: '8.0.0',
      words: 'eight',
      migrations: { '9000_broken': broken },
    })
    const { code, output } = await ground.berth('upgrade', source)
    assert.equal(code, 1, output)
    assert.include(output, '9000_broken drops a column')
    assert.deepEqual(await running(), all(first))
    const columns = await ground.sql(
      `select 1 from information_schema.columns where table_name = 'people' and column_name = 'name'`
    )
    assert.isNotEmpty(columns)
  })

  test('a release that never becomes ready changes nothing, and reports the role and the reason', async ({
    assert,
  }) => {
    // The upgrade reaches web second to last. When web fails, the roles that were already upgraded must be restored.
    const source = await release({ version: '8.0.1', words: 'eight' }, sources[0])
    await rm(join(source, 'build/database/migrations/9000_broken.js'))
    const entry = join(source, 'build/bin/role.js')
    const text = await readFile(entry, 'utf8')
    await rm(entry)
    await writeFile(entry, `${NEVER_READY_PROGRAM}\n${text}`)
    const { code, output } = await ground.berth('upgrade', source)
    assert.equal(code, 1, output)
    assert.match(output, /8\.0\.1: web ended right after its start\. Last log lines:\n +no anchor/)
    assert.match(
      output,
      /8\.0\.1 was not installed: web ended right after its start\nThe upgrade was undone/
    )
    assert.deepEqual(await running(), all(first))
    assert.equal(await words(), 404)
  })

  test('replaces processes under load without failed idempotent requests or duplicate messages, and terminals end with a reason', async ({
    assert,
    cleanup,
  }) => {
    const source = await release(
      { version: '9.0.0', words: 'nine', migrations: { '9001_added': added } },
      sources[0]
    )
    await rm(join(source, 'build/database/migrations/9000_broken.js'))
    const admin = await ground.administrator()
    const client = 7_000_001
    await ground.sql(
      `insert into people (id, audience, name, email) values ($1, 'customer', 'Ada', 'ada@example.com') on conflict do nothing`,
      [client]
    )
    await ground.sql(
      `insert into accounts (id, name, status) values ($1, 'Ada', 'active') on conflict do nothing`,
      [client]
    )
    const terminals = [await ground.terminal(admin), await ground.terminal(admin)]
    cleanup(() => terminals.forEach((terminal) => terminal.close()))
    for (const terminal of terminals) await terminal.open()

    const agent = new Agent({ keepAlive: true, maxSockets: 20 })
    const headers = { cookie: admin.cookie, accept: 'application/json' }
    const list = `/admin/live-support/message-list?client_id=${client}&page=1&length=100`
    const loads = {
      'pages, a connection each': callAtRate(8, () => get(`${ground.url}/login`, 200)),
      'calls, connections used again': callAtRate(15, () =>
        get(ground.url + list, 200, { agent, headers })
      ),
      vault: callAtRate(8, () => get(`http://127.0.0.1:${ground.ports.vault}/health`, 200)),
      mail: callAtRate(8, () => get(`http://127.0.0.1:${ground.ports.mail}/health`, 200)),
      uploads: callInSequence(async () => {
        await upload(ground.url, tokenOf(admin), '/admin/chat-file/upload', 4)
        // Deletes the uploads, because the number of files that no message contains yet is limited.
        await ground.sql('delete from support_files')
      }),
    }
    cleanup(() => Promise.all(Object.values(loads).map((load) => load.stop())).then(() => {}))
    const typed = Array.from({ length: 60 }, (_, index) => ({
      client_id: client,
      text: `Message ${index}`,
      key: randomUUID(),
    }))
    const chat = async () => {
      for (const body of typed) {
        for (let done = false; !done;) {
          done = await admin.call('POST', '/admin/live-support/send-message', body).then(
            () => true,
            () => false
          )
        }
        await sleep(150)
      }
    }
    const chatting = chat()
    await eventually(() => assert.isAbove(loads.uploads.sent.length, 0))

    const upgrading = ground.berth('upgrade', source)
    // The user of the first terminal sees the warning in time and exits.
    await Promise.race([
      eventually(() => assert.isNotEmpty(terminals[0].warned), 900_000),
      upgrading.then(({ output }) => assert.isNotEmpty(terminals[0].warned, output)),
    ])
    assert.match(terminals[0].warned[0], /closes in 20 seconds. Save your work/)
    terminals[0].type('exit\n')
    const { code, output } = await upgrading
    assert.equal(code, 0, output)
    await chatting

    const failed: Record<string, unknown> = {}
    for (const [name, load] of Object.entries(loads)) {
      const sent = await load.stop()
      assert.isAbove(sent.length, 3, name)
      if (failures(sent).length) failed[name] = failures(sent)
    }
    assert.deepEqual(failed, {}, JSON.stringify(failed))
    agent.destroy()
    assert.deepEqual(terminals[0].closed, ['The session has ended'])
    assert.match(terminals[1].closed[0], /was upgraded, so the programs in this terminal ended/)
    await terminals[1].open()
    assert.isTrue(terminals[1].isOpen)

    const { messages } = await admin.call<{ messages: { content: string }[] }>('GET', list)
    assert.deepEqual(
      messages.map(({ content }) => content.replaceAll('+', ' ')),
      typed.map(({ text }) => text)
    )
    assert.deepEqual(await running(), all('9.0.0'))
    assert.equal(await words(), 'nine')
    assert.equal(findLinkedRelease(ground.home, 'current')?.version, '9.0.0')
    // The release must not share files with the checkout, because homes with databases lie below that checkout.
    const view = `resources/views/${(await readdir(join(installRoot, 'resources/views')))[0]}`
    const [its, ours] = await Promise.all(
      [join(releasesFolder(ground.home), '9.0.0/build'), installRoot].map((at) =>
        stat(join(at, view))
      )
    )
    assert.notEqual(its.ino, ours.ino)
    const [column] = await ground.sql<{ column_default: string }>(
      `select column_default from information_schema.columns where column_name = 'of_the_next'`
    )
    assert.isNotNull(column)
    // No retry: the installation is already upgraded, so a second attempt would test nothing.
  }).retry(0)

  test('returns to the previous release, whose code works with the newer tables', async ({
    assert,
  }) => {
    const { code, output } = await ground.berth('upgrade', '--back')
    assert.equal(code, 0, output)
    assert.deepEqual(await running(), all(first))
    assert.equal(await words(), 404)
    const { code: forth } = await ground.berth('upgrade', '--back')
    assert.equal(forth, 0)
    assert.deepEqual(await running(), all('9.0.0'))
  })

  test('a killed upgrade resumes when it is run again, and old releases are removed', async ({
    assert,
  }) => {
    const source = await release({ version: '9.0.1', words: 'more' }, sources[2])
    const upgrading = ground.begin('upgrade', source)
    const ended = once(upgrading, 'exit')
    // At some moment, some roles run the new version and others still the old one.
    await eventually(async () => assert.include((await running()).mail, '9.0.1'))
    upgrading.kill('SIGKILL')
    await ended
    const between = await running()
    assert.include(between.gateway, '9.0.0')
    assert.equal(await words(), 'nine')
    const { code, output } = await ground.berth('upgrade', source)
    assert.equal(code, 0, output)
    assert.deepEqual(await running(), all('9.0.1'))
    assert.equal(await words(), 'more')
    const kept = (await readdir(releasesFolder(ground.home))).filter((name) => /^\d/.test(name))
    assert.lengthOf(kept, 3)
    assert.isFalse(existsSync(join(releasesFolder(ground.home), '8.0.0')))
    // Unchanged files are hard links to those of the previous release, so they take no disk space.
    const node = (version: string) =>
      stat(join(releasesFolder(ground.home), version, 'node/bin/node'))
    assert.equal((await node('9.0.1')).ino, (await node('9.0.0')).ino)
  }).retry(0)

  test('rejects a source that is not a release of Berth', async ({ assert }) => {
    const { code, output } = await ground.berth('upgrade', '/etc')
    assert.equal(code, 1)
    assert.include(output, '/etc is not a release of Berth')
  })
})

function tokenOf(caller: Caller): { cookie: string; token: string } {
  const [, token] = /XSRF-TOKEN=([^;]+)/.exec(caller.cookie) ?? []
  return { cookie: caller.cookie, token: decodeURIComponent(token ?? '') }
}

import type { MessageList } from '#support/transformers/page_props'
import { findFreePort } from '#tests/support/find_free_port'
import { makeCustomer, signIn, Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildFolder } from '../../cli/build.js'
import { waitFor200 } from '../../cli/ace_commands.js'

/** Starts another web process that uses the same database. */
async function startWeb(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(buildFolder, 'bin/role.js'), 'web'], {
    cwd: buildFolder,
    env: {
      ...process.env,
      PORT: String(port),
      SESSION_DRIVER: 'database',
      BERTH_ROLE: 'web',
      LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (!(await waitFor200(`http://127.0.0.1:${port}/health`, 300_000))) throw new Error('No web')
  return child
}

test.group('Rolling restart of web', () => {
  test('loses and duplicates no chat message', async ({ assert, cleanup }) => {
    const ports = [await findFreePort(), await findFreePort()]
    const webs = await Promise.all(ports.map(startWeb))
    cleanup(async () => {
      for (const web of webs) web.kill('SIGKILL')
      await Promise.all(webs.map((web) => web.exitCode ?? web.signalCode ?? once(web, 'exit')))
    })
    const customer = await makeCustomer()
    const browsers = ports.map((port) => new Visitor(`http://127.0.0.1:${port}`))
    await browsers[0].page('/login')
    await signIn(customer, browsers[0])
    for (const [name, value] of browsers[0].cookies) browsers[1].cookies.set(name, value)

    const typed = Array.from({ length: 50 }, (_, index) => ({
      text: `Message ${index}`,
      key: randomUUID(),
    }))
    let tries = 0
    /**
     * Sends the messages one after another, as a browser does. Repeats each until one of the two processes accepts it.
     */
    const send = async () => {
      for (const body of typed) {
        for (let done = false; !done;) {
          const browser = browsers[tries++ % 2]
          const answer = await browser.post('/live-support/send-message', body).catch(() => null)
          done = answer?.status === 201
          if (!done) await sleep(20)
        }
      }
    }
    const restart = async () => {
      for (const [index, signal] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
        await sleep(200)
        webs[index].kill(signal)
        await once(webs[index], 'exit')
        webs[index] = await startWeb(ports[index])
      }
    }
    // Sends every message twice, as two tabs with the same unsent messages would.
    await Promise.all([send(), send(), restart()])

    const list = await browsers[0].get('/live-support/message-list?page=1&length=100')
    const { count, messages } = list.json.data as unknown as MessageList
    assert.equal(count, typed.length)
    assert.deepEqual(
      messages.map(({ content }) => content.replaceAll('+', ' ')),
      typed.map(({ text }) => text)
    )
  }).timeout(1_200_000)
})

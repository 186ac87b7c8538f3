/// <reference lib="dom" />
import { newHost, newInstance, startPlainSshd } from '../../app/terminal/tests/support.js'
import type { HostInstance } from '#hosts/public'
import type { ServerInstance } from '#instances/public'
import type Person from '#identity/models/person'
import type { TestSshd } from '#packages/machine/tests/sshd'
import { start } from '#start/roles/gateway'
import { visit } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { retireHosts } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { proves } from './promise.js'
import { type Stage, stageOf } from './stage.js'

type Sent = Record<string, unknown>

function heard(page: Page): Sent[] {
  const all: Sent[] = []
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => void all.push(JSON.parse(String(payload)) as Sent))
  })
  return all
}

/**
 * Waits until the terminal's screen shows a text. In screen reader mode, xterm writes the screen's text into the page.
 */
async function shows(page: Page, text: string | RegExp) {
  await eventually(async () => {
    const shown = (await page.locator('.xterm-accessibility-tree').innerText())
      .replaceAll('\u00a0', ' ')
      .replaceAll('\n', '')
    const found = typeof text === 'string' ? shown.includes(text) : text.test(shown)
    assert.ok(found, `not on the screen: ${text}\n${shown}`)
  })
}

async function open(page: Page, address: string) {
  // Clears the session storage, so that the page does not resume a shell that an earlier test left in this tab.
  if (page.url().startsWith('http')) await page.evaluate(() => sessionStorage.clear())
  await page.addInitScript(() => localStorage.setItem('berth-terminal-screen-reader', 'true'))
  await visit(page, address)
  const panel = page.getByRole('region', { name: /^Terminal - / })
  await panel.getByRole('status').first().filter({ hasText: 'Connected' }).waitFor()
  await shows(page, /[#$] /)
}

async function type(page: Page, text: string) {
  // Waits until the element is visible, because a hidden element cannot have the focus.
  await page.getByTestId('terminal-screen').waitFor()
  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

const area = (page: Page) => page.getByTestId('terminal-screen').locator('..')

async function machine() {
  const sshd = await startPlainSshd()
  const { stop: stopGateway } = await start()
  const stop = async () => {
    await stopGateway?.()
    await sshd.stop()
  }
  return { sshd, stop }
}

test.group('Terminal of an instance', (group) => {
  const stage: Stage = stageOf(group, () => makeCustomer())
  let sshd: TestSshd
  let instance: ServerInstance

  group.setup(async () => {
    const made = await machine()
    sshd = made.sshd
    instance = await newInstance(stage.person, sshd.target)
    return made.stop
  })

  proves(['C1.5', 'C2.40', 'C6.3', 'C7.54', 'C7.55'], async () => {
    const { page } = stage
    const sent = heard(page)
    const answered = page.waitForResponse('**/terminal/grants')
    await open(page, `/server-instance/${instance.id}?tab=terminal`)
    assert.equal((await area(page).boundingBox())?.height, 400)
    const { data } = (await (await answered).json()) as { data: { grant: string } }
    const [first] = sent
    assert.deepEqual(
      [first.type, first.instance_type, first.host, first.user, first.port, first.privateKey],
      ['credentials', 'regular', instance.ip, instance.username, instance.ports.ssh, data.grant]
    )
    assert.ok(Number(first.cols) > 20 && Number(first.rows) > 5)
    assert.ok(Array.isArray(first.commands) && first.commands.length > 0)
    assert.ok(!JSON.stringify(sent).includes(sshd.target.privateKey!.slice(60, 120)))
    await type(page, 'echo here-$((40+2))')
    await shows(page, 'here-42')
    const typed = sent.filter((one) => one.type === 'message').map(({ data: part }) => part)
    assert.equal(typed.join(''), 'echo here-$((40+2))\r')
    await page.setViewportSize({ width: 900, height: 800 })
    await eventually(() => {
      const size = sent.findLast((one) => one.type === 'resize')
      assert.ok(Number(size?.cols) < Number(first.cols) && Number(size?.rows) > 0)
    })
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  proves('A9.7', async () => {
    const usual = await newInstance(stage.person)
    await usual.merge({ ports: {} }).save()
    const visitor = await signIn(stage.person)
    const { json } = await visitor.post('/terminal/grants', { server_instance_id: usual.id })
    assert.equal(json.data!.port, 22)
  })

  proves(['C7.56', 'C8.13'], async () => {
    const { page } = stage
    const { data } = await page.evaluate(
      async ({ id, token }) => {
        const answer = await fetch('/terminal/grants', {
          method: 'POST',
          headers: {
            accept: 'application/json',
            'content-type': 'application/json',
            'x-xsrf-token': decodeURIComponent(
              /XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1] ?? ''
            ),
          },
          body: JSON.stringify({ server_instance_id: id, path: token }),
        })
        return (await answer.json()) as { data: { commands: string[] } }
      },
      { id: instance.id, token: 'shop' }
    )
    assert.ok(data.commands.includes('/var/www/public_html/shop'), data.commands.join(' '))
    await open(page, `/server-instance/${instance.id}?tab=terminal`)
    await type(page, 'echo who-$(id -u)-')
    await shows(page, 'who-0-')
    await type(page, 'exit')
    await shows(page, '=== Connection Closed ===')
  })
})

test.group('Terminal of a host', (group) => {
  const stage: Stage<Person> = stageOf(group, () => makeStaff('administrator'))
  let sshd: TestSshd
  let host: HostInstance

  group.setup(async () => {
    const made = await machine()
    sshd = made.sshd
    host = await newHost(sshd.target)
    return async () => {
      await retireHosts(host)
      await made.stop()
    }
  })

  proves(
    [
      'A1.3',
      'A2.47',
      'A2.48',
      'A2.50',
      'A9.8',
      'C9.10',
      'A4.16',
      'A4.17',
      'A7.29',
      'A7.30',
      'A7.31',
      'A8.12',
    ],
    async () => {
      const { page } = stage
      await page.setViewportSize({ width: 1280, height: 800 })
      const sent = heard(page)
      await open(page, `/admin/host-instance/${host.id}?tab=terminal`)
      await page.getByRole('heading', { name: `Terminal - ${host.name}`, exact: true }).waitFor()
      assert.equal((await area(page).boundingBox())?.height, 400)
      const [first] = sent
      assert.deepEqual(
        [first.type, first.host, first.port, first.user],
        ['credentials', host.ip, host.sshPort, host.username]
      )
      for (const field of ['cols', 'rows', 'commands', 'privateKey'])
        assert.ok(field in first, field)
      assert.ok(!JSON.stringify(sent).includes(sshd.target.privateKey!.slice(60, 120)))
      await type(page, 'kept=$((40+2)); echo began')
      await shows(page, 'began')
      await page.getByRole('tab', { name: 'Information' }).click()
      await page.getByTestId('terminal-screen').waitFor({ state: 'hidden' })
      await page.setViewportSize({ width: 900, height: 800 })
      await page.getByRole('tab', { name: 'Terminal' }).click()
      await type(page, 'echo still-$kept-')
      await shows(page, 'still-42-')
      assert.equal(sent.filter((one) => one.type === 'credentials').length, 1)
      const typed = sent.filter((one) => one.type === 'message').map(({ data }) => data)
      assert.ok(typed.join('').endsWith('echo still-$kept-\r'))
      await eventually(() => {
        const size = sent.findLast((one) => one.type === 'resize')
        assert.ok(Number(size?.cols) > 0 && Number(size?.rows) > 0)
      })
      await page.setViewportSize({ width: 1280, height: 800 })
      await type(page, 'exit')
      await shows(page, '=== Connection Closed ===')
    }
  )
})

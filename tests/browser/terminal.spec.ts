import * as support from '../../app/terminal/tests/support.js'
import { buildFolder } from '../../cli/build.js'
import { ports } from '#config/services'
import { start } from '#start/roles/gateway'
import { createTerminalGateway } from '#terminal/public_effects'
import { createGrant } from '#terminal/actions/grants'
import type { HostInstance } from '#hosts/public'
import type { ServerInstance } from '#instances/public'
import type Person from '#identity/models/person'
import { makeInstance } from '#projects/tests/fixtures'
import { Incus } from '#packages/incus/main'
import { generateKeyPair, IncusMachine } from '#packages/machine/main'
import { isRunning, type TestSshd } from '#packages/machine/tests/sshd'
import { waitForHydration, openBrowser, takeScreenshot } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { createHost, retireHosts } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { waitForBoot } from '#tests/support/wait_for_boot'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext, Page, WebSocketRoute } from 'playwright-core'

const CLOSED_NOTICE = '=== Connection Closed ==='

/**
 * Program that uses the terminal as vim and htop do: the alternate screen, true colour, the mouse, and box characters
 * up to the last cell.
 */
const FULL_SCREEN_PROGRAM = `
draw() {
  size=$(stty size)
  rows=\${size% *} cols=\${size#* }
  printf '\\033[2J\\033[H\\033[7m%-*s\\033[0m' "$cols" " harbour $cols x $rows"
  for ((row = 2; row < rows; row++)); do
    printf '\\033[%d;1H' "$row"
    for ((col = 1; col <= cols; col++)); do
      printf '\\033[48;2;%d;%d;%dm ' $((row * 255 / rows)) $((col * 255 / cols)) 160
    done
  done
  printf '\\033[0m\\033[%d;1H└ ü৳漢字😀 %-*s┘' "$rows" $((cols - 12)) "$1"
}
printf '\\033[?1049h\\033[?25l\\033[?1000h\\033[?1006h'
draw "$1"
while true; do
  [ "$(stty size)" = "$size" ] || draw resized
  IFS= read -rsn1 -t 0.2 key || continue
  [ "$key" = q ] && break
  [ "$key" = '<' ] && draw clicked
done
printf '\\033[?1006l\\033[?1000l\\033[?25h\\033[?1049l'
`

class TerminalPage {
  private constructor(
    readonly context: BrowserContext,
    readonly page: Page
  ) {}

  /** Opens a browser with this person's session. */
  static async of(person: Person): Promise<TerminalPage> {
    const { context, page } = await openBrowser()
    const { cookies, base } = await signIn(person)
    const kept = [...cookies].filter(([name]) => name.startsWith('berth-'))
    await context.addCookies(kept.map(([name, value]) => ({ name, value, url: base })))
    // xterm writes the screen's text into the page only in screen reader mode.
    await context.addInitScript(() => {
      localStorage.setItem('berth-terminal-screen-reader', 'true')
    })
    return new TerminalPage(context, page)
  }

  async visit(path: string) {
    await this.page.goto(path)
    await waitForHydration(this.page)
  }

  /** Opens a new shell, and does not resume a shell that an earlier test left in this tab. */
  async open(path: string) {
    if (this.page.url().startsWith('http')) await this.page.evaluate(() => sessionStorage.clear())
    await this.visit(path)
    await this.says('Connected')
    await this.shows(/[#$] /)
  }

  async says(words: string) {
    const panel = this.page.getByRole('region', { name: /^Terminal - / })
    await panel.getByRole('status').first().filter({ hasText: words }).waitFor()
  }

  get screen() {
    return this.page.locator('.xterm-accessibility-tree')
  }

  async shows(text: string | RegExp): Promise<RegExpExecArray> {
    return eventually(async () => {
      const shown = await this.screen.innerText()
      const lines = shown.replaceAll('\u00a0', ' ')
      // Text matches with either kind of line break: long lines wrap anywhere, notices wrap between words.
      const ways = [lines.replaceAll('\n', ''), lines.replaceAll('\n', ' ')]
      const exactly = typeof text === 'string' ? new RegExp(RegExp.escape(text)) : text
      const found = ways.map((way) => exactly.exec(way)).find((match) => match !== null)
      assert.ok(found, `not on the screen: ${text}\n${shown}`)
      return found
    })
  }

  async type(text: string) {
    await this.page.locator('.xterm-helper-textarea').focus()
    await this.page.keyboard.type(text)
    await this.page.keyboard.press('Enter')
  }

  /** Returns the process id that the shell prints. */
  async shellId(): Promise<number> {
    await this.type('echo shell-$$-')
    return Number((await this.shows(/shell-(\d+)-/))[1])
  }

  async reconnect() {
    await this.page.getByRole('button', { name: 'Reconnect' }).click()
    await this.says('Connected')
    await this.type('echo again-$((40+2))')
    await this.shows('again-42')
  }

  async size(): Promise<{ cols: number; rows: number }> {
    await this.type('echo "size-$(stty size)-"')
    const [, rows, cols] = await this.shows(/size-(\d+) (\d+)-/)
    return { cols: Number(cols), rows: Number(rows) }
  }

  /** Clicks a cell of a screen of this size. Columns and rows count from 1. */
  async click(col: number, row: number, { cols, rows }: { cols: number; rows: number }) {
    const whole = this.page.getByTestId('terminal-screen')
    const outside = (await whole.boundingBox())!
    const cells = (await this.page.locator('.xterm-screen').boundingBox())!
    await whole.click({
      position: {
        x: cells.x - outside.x + ((col - 0.5) * cells.width) / cols,
        y: cells.y - outside.y + ((row - 0.5) * cells.height) / rows,
      },
    })
  }

  async pictures(name: string, rest: () => Promise<unknown>) {
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ]) {
      await this.page.setViewportSize({ width, height })
      for (const colorScheme of ['light', 'dark'] as const) {
        await this.page.emulateMedia({ colorScheme })
        await rest()
        await takeScreenshot(this.page, `${name}-${width}-${colorScheme}`)
      }
    }
    await this.page.setViewportSize({ width: 1280, height: 800 })
    await this.page.emulateMedia({ colorScheme: 'light' })
  }
}

/** Matches the notice that a terminal has closed, followed by the reason. */
const closedBy = (reason: RegExp) => new RegExp(`=== Connection Closed ===\\s*${reason.source}`)

test.group('Terminal in the browser', (group) => {
  let sshd: TestSshd
  let stopGateway: (() => Promise<void>) | null
  let terminal: TerminalPage
  let page: Page
  let person: Person
  let instance: ServerInstance
  let path: string

  group.each.setup(async () => {
    sshd = await support.startPlainSshd()
    stopGateway = (await start()).stop
    person = await makeCustomer()
    instance = await support.newInstance(person, sshd.target)
    path = `/server-instance/${instance.id}?tab=terminal`
    terminal = await TerminalPage.of(person)
    page = terminal.page
    return async () => {
      await terminal.context.close()
      await stopGateway?.()
      await sshd.stop()
    }
  })

  const area = () => page.getByTestId('terminal-screen').locator('..')

  test('shows full-screen programs in true colour and redraws them after a resize', async () => {
    const program = join(sshd.folder, 'harbour.sh')
    await writeFile(program, FULL_SCREEN_PROGRAM)
    // Each attempt of the test starts with the same size.
    await page.setViewportSize({ width: 1280, height: 800 })
    await terminal.open(path)
    await terminal.type(`bash ${program} began`)
    await terminal.shows('began')
    await terminal.shows('└ ü৳漢字😀')
    await takeScreenshot(page, 'terminal-full-screen')
    const sizeShown = async () => /harbour (\d+) x (\d+)/.exec(await terminal.screen.innerText())
    const [, cols] = (await sizeShown())!

    await page.setViewportSize({ width: 700, height: 900 })
    await terminal.shows('resized')
    await eventually(async () => {
      const size = await sizeShown()
      assert.ok(Number(size?.[1]) < Number(cols), `${cols} ${size?.[0]}`)
      const rows = await terminal.screen.locator('[role=listitem]').count()
      assert.equal(Number(size?.[2]), rows)
    })
    await takeScreenshot(page, 'terminal-resized')

    await page.getByRole('button', { name: 'Fullscreen' }).click()
    await eventually(async () => {
      const box = await area().boundingBox()
      assert.equal(box?.height, 900 - 60)
      assert.equal(box?.width, 700)
      assert.ok(Number((await sizeShown())?.[2]) > 30)
    })
    await takeScreenshot(page, 'terminal-fullscreen')
    await page.getByTestId('terminal-screen').click({ position: { x: 200, y: 200 } })
    await terminal.shows('clicked')
    await page.keyboard.press('q')
    await page.getByRole('button', { name: 'Exit fullscreen' }).click()
    await terminal.type('echo back-$((40+2))')
    await terminal.shows('back-42')
  })

  test('runs vim and htop, with the mouse', async () => {
    const file = join(sshd.folder, 'harbour.sh')
    await writeFile(file, `#!/bin/bash${FULL_SCREEN_PROGRAM}`)
    await terminal.open(path)
    const size = await terminal.size()
    await terminal.type(`vim -Nu NONE -i NONE -c 'syn on|set nu mouse=a tgc ru' ${file}`)
    await terminal.shows(/ 1,1 /)
    await terminal.click(20, 6, size)
    await terminal.shows(/ 6,\d+ /)
    await terminal.pictures('terminal-vim', () => terminal.shows(/ 6,\d+ /))
    await terminal.type(':q!')
    await terminal.shows('vim -Nu NONE')

    await terminal.type('htop --delay=600')
    await terminal.shows(/F1Help.*F10Quit/)
    await terminal.pictures('terminal-htop', () => terminal.shows(/F1Help/))
    await terminal.shows(/F1Help.*F10Quit/)
    await page.keyboard.press('q')
    await terminal.shows(/^(?!.*F1Help).*htop --delay/)
    await terminal.type('echo back-$((40+2))')
    await terminal.shows('back-42')
  }).skip(
    ['vim', 'htop'].some((program) => spawnSync(program, ['--version']).status !== 0),
    'needs vim and htop on this machine'
  )

  test('stays alive in a hidden tab', async () => {
    await terminal.open(path)
    const shell = await terminal.shellId()
    await page.getByRole('tab', { name: 'Information' }).click()
    await terminal.screen.waitFor({ state: 'hidden' })
    await page.setViewportSize({ width: 800, height: 900 })
    await page.getByRole('tab', { name: 'Terminal' }).click()
    await terminal.screen.waitFor()
    await terminal.type('echo still-$$-')
    await terminal.shows(`still-${shell}-`)
  })

  test('resumes after a reload without answering terminal queries again, and ends on demand', async () => {
    const program = join(sshd.folder, 'harbour.sh')
    await writeFile(program, FULL_SCREEN_PROGRAM)
    await terminal.open(path)
    const shell = await terminal.shellId()
    // A program requests the cursor position, and the terminal replies through the input. The replay after
    // a reload must not reply again.
    await terminal.type(`printf '\\033[6n'; read -rsdR; echo asked-$((40+2)); cat -v`)
    await terminal.shows('asked-42')
    await page.reload()
    await terminal.shows('asked-42')
    await terminal.says('Connected')
    await terminal.type('typed')
    assert.doesNotMatch((await terminal.shows(/asked-42.*typed.*typed/))[0], /\^\[/)
    await page.keyboard.press('Control+c')

    await page.getByRole('button', { name: 'Fullscreen' }).click()
    await terminal.type(`bash ${program} began`)
    await terminal.shows('└ ü৳漢字😀')
    await page.reload()
    await terminal.shows('└ ü৳漢字😀')
    await page.getByRole('button', { name: 'Exit fullscreen' }).waitFor()
    await takeScreenshot(page, 'terminal-taken-up')
    await page.getByTestId('terminal-screen').click({ position: { x: 200, y: 200 } })
    await terminal.shows('clicked')
    await page.keyboard.press('q')
    await page.getByRole('button', { name: 'Exit fullscreen' }).click()
    await terminal.type('echo same-$$-')
    await terminal.shows(`same-${shell}-`)

    await page.getByRole('button', { name: 'End the shell' }).click()
    await terminal.shows(closedBy(/You closed this terminal\./))
    await eventually(async () => assert.equal(await isRunning(shell), false))
    await page.reload()
    await terminal.says('Connected')
    assert.notEqual(await terminal.shellId(), shell)
  })

  test('reconnects by itself, and opens a new shell if the old one has ended', async () => {
    let cut = false
    let sockets: WebSocketRoute[] = []
    await page.routeWebSocket(/\/terminal$/, (socket) => {
      if (cut) return void socket.close()
      sockets.push(socket, socket.connectToServer())
    })
    await terminal.open(path)
    const shell = await terminal.shellId()
    cut = true
    for (const socket of sockets) await socket.close()
    sockets = []
    await terminal.says('Connection lost. Reconnecting…')
    await terminal.pictures('terminal-lost', () => terminal.says('Connection lost'))
    cut = false
    await terminal.says('Connected')
    await terminal.type('echo same-$$-')
    await terminal.shows(`same-${shell}-`)

    await stopGateway!()
    stopGateway = (await start()).stop
    await page.reload()
    await terminal.says('Connected')
    await terminal.type('echo other-$$-')
    const [, other] = await terminal.shows(/other-(\d+)-/)
    assert.notEqual(Number(other), shell)
  })

  test('finds text, and Shift+F6 leaves the terminal', async () => {
    await terminal.open(path)
    await terminal.type('clear; printf "anchor %s\\n" a b c')
    await terminal.shows('anchor c')
    await page.keyboard.press('Control+Shift+F')
    const field = page.getByRole('textbox', { name: 'Search in terminal' })
    await field.fill('anchor ')
    await page.getByText(/^\d of \d$/).waitFor()
    await field.press('Enter')
    await takeScreenshot(page, 'terminal-search')
    await field.press('Escape')
    await field.waitFor({ state: 'detached' })
    await page.keyboard.press('Shift+F6')
    await eventually(async () => {
      assert.equal(await page.locator('*:focus').getAttribute('aria-label'), 'Copy')
    })
  })

  test('shows the reason of its end, and reconnects', async () => {
    await terminal.open(path)
    await stopGateway!()
    await terminal.shows(
      closedBy(/The terminal service is being restarted\. Reconnect in a moment\./)
    )
    await terminal.pictures('terminal-closed', () => terminal.shows(CLOSED_NOTICE))
    stopGateway = (await start()).stop
    await terminal.reconnect()

    await sshd.kill()
    await terminal.shows(closedBy(/The connection to .* was lost/))
    await page.getByRole('button', { name: 'Reconnect' }).waitFor()
  })

  test('rejects an instance with a changed host key, with a message', async () => {
    await instance.merge({ hostKey: generateKeyPair('another').publicKey }).save()
    await terminal.visit(path)
    await terminal.shows(closedBy(/The SSH host key .* so the console did not sign in\./))
    await takeScreenshot(page, 'terminal-other-host-key')
  })

  test('shows a warning before it closes an idle terminal', async () => {
    await stopGateway!()
    const gateway = createTerminalGateway({ idleTimeout: 4_000, idleWarning: 3_000 })
    await support.serve(gateway, ports.gateway)
    stopGateway = () => gateway.close()
    // Records every notice in the page, because a notice may disappear before the test checks for it.
    const said: string[] = []
    await page.exposeFunction('berthSaid', (words: string) => said.push(words))
    await page.addInitScript(() => {
      const { berthSaid } = window as unknown as { berthSaid(words: string): void }
      new MutationObserver(() => {
        const alert = document.querySelector('section [role=alert]')
        if (alert) berthSaid(alert.textContent)
      }).observe(document, { subtree: true, childList: true })
    })
    await terminal.visit(path)
    await terminal.shows(
      closedBy(/This terminal was closed, because no key was pressed for a long time/)
    )
    assert.match(said[0] ?? '', /^This terminal closes in \d seconds unless a key is pressed$/)
  })

  test('opens a shell on the host for administrators, also in full screen', async () => {
    const host: HostInstance = await support.newHost(sshd.target)
    const staff = await TerminalPage.of(await makeStaff('administrator'))
    try {
      await staff.open(`/admin/host-instance/${host.id}?tab=terminal`)
      await staff.page.getByRole('heading', { name: `Terminal - ${host.name}` }).waitFor()
      const shell = staff.page.getByTestId('terminal-screen').locator('..')
      assert.equal((await shell.boundingBox())?.height, 400)
      await staff.type('uname -sr; id -un')
      await staff.shows(/Linux.*root/)
      await staff.pictures('host-terminal', () => staff.shows(/[#$] /))
      await staff.page.getByRole('button', { name: 'Fullscreen' }).click()
      await eventually(async () => {
        const { height } = staff.page.viewportSize()!
        assert.equal((await shell.boundingBox())?.height, height - 60)
      })
      await staff.pictures('host-terminal-fullscreen', () => staff.shows(/[#$] /))
      await staff.page.getByRole('button', { name: 'Exit fullscreen' }).click()
      await eventually(async () => assert.equal((await shell.boundingBox())?.height, 400))
    } finally {
      await staff.context.close()
      await retireHosts(host)
    }
  })
})

test.group('Terminals through a gateway in a separate process', (group) => {
  let sshd: TestSshd
  let gateway: ChildProcess
  let terminal: TerminalPage
  let person: Person
  let instance: ServerInstance

  group.each.setup(async () => {
    sshd = await support.startPlainSshd()
    gateway = await startGateway()
    person = await makeCustomer()
    instance = await support.newInstance(person, sshd.target)
    terminal = await TerminalPage.of(person)
    return async () => {
      await terminal.context.close()
      await kill(gateway)
      await sshd.stop()
    }
  })

  test('a stalled browser pauses its own output only, and terminals survive a killed gateway', async () => {
    await terminal.open(`/server-instance/${instance.id}?tab=terminal`)
    const shell = await terminal.shellId()
    const before = await memoryOf(gateway)

    const stalled = await openStalled()
    const flood = await stalled.flood()
    // The program's output stops, because the browser no longer reads it.
    await eventually(async () => {
      const written = await writtenBy(flood)
      assert.ok(written > 0)
      for (let look = 0; look < 5; look++) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        assert.equal(await writtenBy(flood), written)
      }
    })
    for (let turn = 0; turn < 5; turn++) {
      await terminal.type(`echo turn-$((${turn}+40))-`)
      await terminal.shows(`turn-${turn + 40}-`)
    }
    const more = ((await memoryOf(gateway)) - before) / 1024
    assert.ok(more < 100, `${more} MB more`)

    await kill(gateway)
    await terminal.says('Connection lost. Reconnecting…')
    await eventually(async () => assert.equal(await isRunning(shell), false))
    await eventually(async () => assert.equal(await isRunning(flood), false))
    gateway = await startGateway()
    await terminal.shows(closedBy(/The shell in this terminal has ended\./))
    await terminal.reconnect()
  })

  /** Opens a terminal whose `flood` starts a program that prints without end, and then stops reading its output. */
  async function openStalled() {
    const browser = await support.signIn(person)
    const machine = {
      machineType: 'server_instance',
      machineId: instance.id,
      folder: null,
    } as const
    const grant = await createGrant(
      { personId: person.id, sessionId: browser.sessionId },
      { ...machine, ip: '192.0.2.9' }
    )
    const client = await support.openTerminalSocket(ports.gateway, browser)
    client.signIn(grant)
    await eventually(() => assert.ok(client.ready))
    return {
      async flood(): Promise<number> {
        client.type("sh -c 'echo pid=$$.; exec yes 0123456789'\r")
        const pid = await eventually(() => {
          const found = /pid=(\d+)\./.exec(client.text)
          assert.ok(found)
          return Number(found[1])
        })
        client.acknowledging = null
        client.socket.pause()
        return pid
      },
    }
  }

  async function startGateway(): Promise<ChildProcess> {
    const argv = [join(buildFolder, 'bin/role.js'), 'gateway']
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
    await eventually(async () => {
      assert.equal(child.exitCode, null)
      assert.ok((await fetch(`http://127.0.0.1:${ports.gateway}/health`)).ok)
    })
    return child
  }
})

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Returns the resident memory of a process, in KB. */
async function memoryOf({ pid }: ChildProcess): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1])
}

/** Returns the number of bytes that a process has written so far. */
async function writtenBy(pid: number): Promise<number> {
  return Number(/wchar: (\d+)/.exec(await readFile(`/proc/${pid}/io`, 'utf8'))![1])
}

test.group('Terminal of a shared instance', (group) => {
  const socket = process.env.INCUS_SOCKET
  if (!socket) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  const incus = Incus.local(socket)
  let system: string

  group.each.setup(async () => {
    system = `shared-terminal-${randomUUID().slice(0, 8)}`
    const profile = await incus.profiles.get('default')
    const wanted = {
      name: system,
      image: 'berth-base',
      config: { 'limits.cpu': '1', 'limits.memory': '256MiB' },
      devices: { root: { ...profile.devices.root!, size: '4GiB' } },
      start: true,
    }
    await (await incus.instances.create(wanted)).wait(300)
    await waitForBoot(incus, system)
    return async () => {
      const { status } = await incus.instances.get(system)
      if (status !== 'Stopped') await stop()
      await (await incus.instances.delete(system)).wait(300)
    }
  })
  group.teardown(() => incus.close())

  async function stop() {
    await (await incus.instances.setState(system, 'stop', { force: true })).wait(300)
  }

  test('opens a root shell in the web root through Incus, and shows the reason when the instance stops', async () => {
    const host = await createHost(socket)
    const { stop: stopGateway } = await start()
    const person = await makeCustomer()
    const instance = await makeInstance(person, { systemId: system, hostInstanceId: host.id })
    let terminal = await TerminalPage.of(person)
    try {
      await terminal.open(`/server-instance/${instance.id}?tab=terminal`)
      await terminal.type('printf "$(id -un) in $PWD, \\u00fc\\u09f3\\n"')
      await terminal.shows('root in /var/www/public_html, ü৳')
      const wide = await terminal.size()
      await terminal.page.setViewportSize({ width: 700, height: 800 })
      await eventually(async () => {
        await terminal.type('clear')
        assert.ok((await terminal.size()).cols < wide.cols)
      })
      await takeScreenshot(terminal.page, 'terminal-shared')

      // Slow, so that the first ticks are still on the screen when a busy machine has loaded the page again.
      await terminal.type('for tick in $(seq 1000); do echo "tick-$tick-of-$$"; sleep 4; done')
      const [, shell] = await terminal.shows(/tick-2-of-(\d+)/)
      await terminal.page.reload()
      await terminal.shows(new RegExp(`tick-1-of-${shell}.*tick-2-of-${shell}`))
      const [, seen] = await terminal.shows(new RegExp(`.*tick-(\\d+)-of-${shell}`))
      await terminal.shows(`tick-${Number(seen) + 2}-of-${shell}`)
      await takeScreenshot(terminal.page, 'terminal-shared-taken-up')
      const machine = new IncusMachine(incus.instances, system)
      const isGone = async () => (await machine.exec(['test', '-d', `/proc/${shell}`])).code
      assert.equal(await isGone(), 0)
      await terminal.page.getByRole('button', { name: new RegExp(person.name) }).click()
      await terminal.page.getByRole('menuitem', { name: 'Logout' }).click()
      await terminal.page.getByRole('heading', { name: 'Login' }).waitFor()
      await eventually(async () => assert.equal(await isGone(), 1))
      await terminal.context.close()
      terminal = await TerminalPage.of(person)
      await terminal.open(`/server-instance/${instance.id}?tab=terminal`)
      await stop()
      await terminal.shows(
        closedBy(/The shell was killed\. The server instance may have been stopped\./)
      )
      await terminal.page.getByRole('button', { name: 'Reconnect' }).click()
      await terminal.shows(/Connection Closed.*Connection Closed ===\s*\S/)
      await takeScreenshot(terminal.page, 'terminal-shared-stopped')
    } finally {
      await terminal.context.close()
      await stopGateway()
      await instance.merge({ status: 'deleted' }).save()
      await retireHosts(host)
    }
  })
})

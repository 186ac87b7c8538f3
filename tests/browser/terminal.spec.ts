import { newInstance, startPlainSshd } from '../../app/terminal/tests/support.js'
import { findChromium } from '../../cli/chromium.js'
import { start } from '#start/roles/gateway'
import type { ServerInstance } from '#compute/public'
import type { TestSshd } from '#packages/machine/tests/sshd'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright'

/** Where screenshots go, for people who want to look; nowhere by default. */
const pictures = process.env.BERTH_PICTURES

/** What vim and htop do: the other screen, true colour, the mouse, boxes to the last corner. */
const FULL_SCREEN = `
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

test.group('Terminal in the browser', (group) => {
  let browser: Browser
  let sshd: TestSshd
  let stopGateway: (() => Promise<void>) | null
  let context: BrowserContext
  let page: Page
  let instance: ServerInstance

  group.setup(async () => {
    browser = await chromium.launch({
      executablePath: findChromium(),
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    })
    return () => browser.close()
  })

  group.each.setup(async () => {
    sshd = await startPlainSshd()
    stopGateway = await start()
    const person = await makeCustomer()
    instance = await newInstance(person, sshd.target)
    const { cookies, base } = await signIn(person)
    context = await browser.newContext({ viewport: { width: 1200, height: 900 } })
    const kept = [...cookies].filter(([name]) => name.startsWith('berth-'))
    await context.addCookies(kept.map(([name, value]) => ({ name, value, url: base })))
    // What the screen shows can be read where xterm writes it down for screen readers.
    await context.addInitScript(() => {
      localStorage.setItem('berth-terminal-screen-reader', 'true')
    })
    page = await context.newPage()
    return async () => {
      await context.close()
      await stopGateway?.()
      await sshd.stop()
    }
  })

  const screen = () => page.locator('.xterm-accessibility-tree')
  const state = () =>
    page
      .getByRole('region', { name: /^Terminal - / })
      .getByRole('status')
      .first()

  async function openTerminal(query = '?tab=terminal') {
    await page.goto(`http://127.0.0.1:${process.env.PORT}/server-instance/${instance.id}${query}`)
    await state().filter({ hasText: 'Connected' }).waitFor()
    await shows(/[#$] /)
  }

  async function shows(text: string | RegExp) {
    await eventually(async () => {
      const shown = await screen().innerText()
      // Long lines are cut at the screen's edge: compared without line ends.
      const joined = shown.replaceAll(/[\n\u00a0]/g, (char) => (char === '\n' ? '' : ' '))
      const holds = typeof text === 'string' ? joined.includes(text) : text.test(joined)
      assert.ok(holds, `not on the screen: ${text}\n${shown}`)
    })
  }

  async function type(text: string) {
    await page.locator('.xterm-helper-textarea').focus()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }

  async function picture(name: string) {
    if (!pictures) return
    await mkdir(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `${name}.png`) })
  }

  test('shows full-screen programs in true colour, and keeps them whole when resized', async () => {
    const program = join(sshd.folder, 'harbour.sh')
    await writeFile(program, FULL_SCREEN)
    await openTerminal()
    await picture('terminal-open')
    await type(`bash ${program} began`)
    await shows('began')
    await shows('└ ü৳漢字😀')
    await picture('terminal-full-screen')
    const sizeShown = async () => /harbour (\d+) x (\d+)/.exec(await screen().innerText())
    const [, cols] = (await sizeShown())!

    await page.setViewportSize({ width: 700, height: 900 })
    await shows('resized')
    await picture('terminal-resized')
    await eventually(async () => {
      const size = await sizeShown()
      assert.ok(Number(size?.[1]) < Number(cols), `${cols} ${size?.[0]}`)
      const rows = await screen().locator('[role=listitem]').count()
      assert.equal(Number(size?.[2]), rows)
    })
    await picture('terminal-resized')

    await page.getByRole('button', { name: 'Fullscreen' }).click()
    await eventually(async () => {
      const box = await page.getByTestId('terminal-screen').locator('..').boundingBox()
      assert.equal(box?.height, 900 - 60)
      assert.equal(box?.width, 700)
      assert.ok(Number((await sizeShown())?.[2]) > 30)
    })
    await picture('terminal-fullscreen')
    await page.getByTestId('terminal-screen').click({ position: { x: 200, y: 200 } })
    await shows('clicked')
    await page.keyboard.press('q')
    await page.getByRole('button', { name: 'Leave fullscreen' }).click()
    await type('echo back-$((40+2))')
    await shows('back-42')
  })

  test('stays alive in a hidden tab', async () => {
    await openTerminal()
    await type('echo shell-$$-; sleep 1000')
    await shows(/shell-\d+-/)
    const [, pid] = /shell-(\d+)-/.exec(await screen().innerText())!
    await page.getByRole('tab', { name: 'Information' }).click()
    await screen().waitFor({ state: 'hidden' })
    await page.setViewportSize({ width: 800, height: 900 })
    await page.getByRole('tab', { name: 'Terminal' }).click()
    await screen().waitFor()
    await page.locator('.xterm-helper-textarea').press('Control+c')
    await type('echo still-$$-')
    await shows(`still-${pid}-`)
  })

  test('finds text, and lets the keyboard out', async () => {
    await openTerminal()
    await type('for i in 1 2 3; do echo "anchor-$i"; done; clear; printf "anchor %s\\n" a b c')
    await shows('anchor c')
    await page.keyboard.press('Control+Shift+F')
    const field = page.getByRole('textbox', { name: 'Search in terminal' })
    await field.fill('anchor ')
    await page.getByText(/^\d of 3$/).waitFor()
    await field.press('Enter')
    await picture('terminal-search')
    await field.press('Escape')
    await field.waitFor({ state: 'detached' })
    await page.keyboard.press('Shift+F6')
    await eventually(async () => {
      assert.equal(await page.locator('*:focus').getAttribute('aria-label'), 'Copy')
    })
  })

  test('says why it was closed, and reconnects', async () => {
    await openTerminal()
    await type('echo shell-$$-')
    await shows(/shell-\d+-/)
    await stopGateway!()
    await shows('=== Connection Closed ===')
    await shows('The terminal service is being restarted. Reconnect in a moment.')
    await picture('terminal-closed')
    stopGateway = await start()
    await page.getByRole('button', { name: 'Reconnect' }).click()
    await state().filter({ hasText: 'Connected' }).waitFor()
    await type('echo again-$((40+2))')
    await shows('again-42')

    await sshd.kill()
    await shows(/Connection Closed.*lost/)
    await page.getByRole('button', { name: 'Reconnect' }).waitFor()
  })
})

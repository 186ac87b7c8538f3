import { OFFERED_VERSION } from '#tests/support/wordpress_repository'
import { crc32, deflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'

/** Timeout for an update, which downloads, unpacks and replaces about 3,000 files, on a busy machine. */
const UPDATE_TIMEOUT_MS = 600_000

export async function signInToWordpress(page: Page, user: string, password: string): Promise<void> {
  await page.goto('/wp-login.php')
  await page.getByLabel('Username or Email Address').fill(user)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
}

/** Writes a post with a picture in the editor and publishes it. Returns its URL. */
export async function publishPost(page: Page, title: string): Promise<string> {
  await page.goto('/wp-admin/post-new.php')
  const welcome = page.getByRole('dialog')
  await welcome.getByRole('button', { name: 'Close' }).click()
  const canvas = page.frameLocator('iframe[name="editor-canvas"]')
  await canvas.getByRole('textbox', { name: 'Add title' }).fill(title)
  await page.keyboard.press('Enter')
  await page.keyboard.type('/image')
  await page.getByRole('option', { name: 'Image', exact: true }).click()
  const file = { name: 'red.png', mimeType: 'image/png', buffer: redPicture() }
  const chooser = page.waitForEvent('filechooser')
  await canvas.getByRole('button', { name: 'Upload' }).click()
  await (await chooser).setFiles(file)
  await canvas.locator('figure img[src*="/wp-content/uploads/"]').waitFor()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const panel = page.getByRole('region', { name: 'Editor publish' })
  await panel.getByRole('button', { name: 'Publish', exact: true }).click()
  const link = panel.getByRole('link', { name: 'View Post' })
  await link.waitFor()
  return (await link.getAttribute('href'))!
}

/** Installs and activates the plugin of the fake repository. */
export async function installPlugin(page: Page): Promise<void> {
  await page.goto('/wp-admin/plugin-install.php?s=berth&tab=search&type=term')
  const card = page.locator('.plugin-card-berth-plugin')
  await card.getByLabel(/^Install Berth Plugin/).click()
  await card.getByLabel(/^Activate Berth Plugin/).click()
  // If the script of the page has not loaded yet, the button opens another page instead.
  const done = page.getByText('Plugin activated.').or(card.getByText('Active', { exact: true }))
  await done.first().waitFor()
}

/** Installs and activates the theme of the fake repository. */
export async function installTheme(page: Page): Promise<void> {
  await page.goto('/wp-admin/theme-install.php?search=berth')
  const theme = page.locator('.theme').filter({ hasText: 'Berth Theme' })
  await theme.hover()
  await theme.getByLabel(/^Install/).click()
  await theme.getByLabel(/^Activate/).click()
  await page.getByText('New theme activated.').waitFor()
}

export async function updateWordpressCore(page: Page): Promise<void> {
  await page.goto('/wp-admin/update-core.php?force-check=1')
  await page
    .getByRole('button', { name: `Update to version ${OFFERED_VERSION}` })
    .first()
    .click()
  await page.waitForURL(/\/wp-admin\/about\.php/, { timeout: UPDATE_TIMEOUT_MS })
}

function redPicture(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0])
  const line = Buffer.concat([Buffer.from([0]), ...Array(8).fill(Buffer.from([200, 0, 0]))])
  const lines = deflateSync(Buffer.concat(Array<Buffer>(8).fill(line)))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', lines),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

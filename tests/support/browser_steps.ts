/// <reference lib="dom" />
import { eventually } from '#tests/support/eventually'
import { loadCodeSentTo } from '#tests/support/outbox_mails'
import { testPassword } from '#tests/support/people'
import { waitForHydration } from '#tests/support/browser'
import type { Page } from 'playwright-core'

/** Timeout of operations on a real instance. They take seconds, but minutes on a busy machine. */
export const MACHINE_TIMEOUT_MS = 480_000

/** Registers an account, from the page that asks for an email address. */
export async function registerAccount(page: Page, email: string): Promise<void> {
  await page.getByRole('heading', { name: 'Register' }).waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await page.getByRole('heading', { name: 'Verify OTP' }).waitFor()
  await page.getByLabel('OTP').fill(await loadCodeSentTo(email))
  await page.getByLabel(/^Password/).fill(testPassword)
  await page.getByLabel('Confirm Password').fill(testPassword)
  await page.getByRole('button', { name: 'Verify OTP' }).click()
}

/** Waits until the list of instances shows the instance as active. */
export async function waitForActiveInstance(page: Page, name: string): Promise<void> {
  const card = page.getByRole('article', { name })
  await card.waitFor()
  await card.getByText('Active', { exact: true }).waitFor({ timeout: MACHINE_TIMEOUT_MS })
}

/** Deletes an instance on its page. Afterwards, the page is the list of instances. */
export async function deleteInstance(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `Delete ${name}` })
  await dialog.getByRole('textbox').fill(name)
  await dialog.getByRole('button', { name: 'Delete instance' }).click()
  await page.getByRole('heading', { name: 'Server Instances', level: 1 }).waitFor()
  await waitForHydration(page)
}

/** Waits until the project's page shows no running operation. */
export async function waitForIdleProject(page: Page): Promise<void> {
  await page
    .getByRole('region', { name: /^(Setting up|Starting|Stopping) / })
    .waitFor({ state: 'hidden', timeout: MACHINE_TIMEOUT_MS })
}

/** Replaces existing files of a project through the file manager. Fails if a file does not exist yet. */
export async function uploadToProject(page: Page, files: Record<string, string>): Promise<void> {
  const link = page.getByRole('main').getByRole('link', { name: 'File Manager' })
  const [manager] = await Promise.all([page.context().waitForEvent('page'), link.click()])
  await waitForHydration(manager)
  await manager.getByLabel('Files to upload').setInputFiles(
    Object.entries(files).map(([name, text]) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(text),
    }))
  )
  const tray = manager.getByRole('region', { name: 'Uploads' })
  for (const name of Object.keys(files)) {
    const dialog = manager.getByRole('dialog').filter({ hasText: `“${name}” already exists in ` })
    await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
    const item = tray.getByRole('listitem').filter({ hasText: name })
    await item.getByText('Replaced').waitFor()
  }
  await manager.close()
}

/** Afterwards, the page is that of the database. The first database also installs the server. */
export async function createDatabase(
  page: Page,
  { name, user, password }: { name: string; user: string; password: string },
  within: number
): Promise<void> {
  await page.getByRole('button', { name: 'Add New' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add new database' })
  await form.getByLabel('Database name').fill(name)
  await form.getByLabel('Username').fill(user)
  await form.getByLabel(/^Password/).fill(password)
  await form.getByRole('button', { name: 'Create database' }).click()
  await form.getByRole('button', { name: 'Done' }).click()
  const link = page.getByRole('link', { name, exact: true })
  await link.click({ timeout: within })
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

/** Returns the text that `copy` puts into the clipboard. The browser writes it a moment after the click. */
export async function readCopiedText(page: Page, copy: () => Promise<void>): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await copy()
  return eventually(async () => {
    const text = await page.evaluate(() => navigator.clipboard.readText())
    if (text === '') throw new Error('Nothing was copied')
    return text
  })
}

/** Opens the dashboard by the keys G, D. Repeats them, because D counts only within 1.5 s after G. */
export async function openDashboardByKeys(page: Page): Promise<void> {
  const heading = page.getByRole('heading', { name: 'Dashboard', level: 1 })
  await eventually(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await heading.waitFor({ timeout: 15_000 })
  })
}

/** Afterwards, the page is that of the statement. */
export async function uploadStatement(
  page: Page,
  operator: string,
  file: { name: string; text: string }
): Promise<void> {
  await page.getByRole('button', { name: 'Add statement' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add statement' })
  await dialog.getByLabel('Operator').fill(operator)
  const [asked] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: 'File' }).click(),
  ])
  const { name, text } = file
  await asked.setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await dialog.getByRole('button', { name: 'Read statement' }).click()
  await page.getByRole('heading', { name: `Statement of ${operator}`, level: 1 }).waitFor()
}

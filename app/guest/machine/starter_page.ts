import { translateMachineErrors } from '#guest/machine/run_command'
import { webRootScript, webRootScriptArgv } from '#guest/machine/web_root_scripts'
import type { Machine } from '#packages/machine/main'
import { createHash } from 'node:crypto'

export const STARTER_TEXTS = {
  html: [
    'This is your new site. Replace this page with your own files.',
    'Put your files into this folder.',
  ],
  php: [
    "It is <?= date('H:i:s') ?>. This page is made by PHP <?= PHP_VERSION ?>.",
    "It is <?= date('H:i:s') ?> and PHP <?= PHP_VERSION ?> answers.",
  ],
}

const TIMEOUT_MS = 30_000
const MAX_BYTES = 8_192

/** Script that prints the names and contents of a folder's index pages, each followed by a NUL. */
const READ_SCRIPT = webRootScript(`
cd -P -- "./$1" 2> /dev/null || exit 0
case "$PWD/" in "$root/"*) ;; *) exit 0 ;; esac
for each in index.html index.php; do
  if [ ! -f "./$each" ] || [ -L "./$each" ]; then continue; fi
  printf '%s\\0' "$each"
  head -c "$2" -- "./$each"
  printf '\\0'
done
`)

interface StarterPage {
  name: string
  /** SHA-256 of the page in hex. Before a script replaces the page, it checks that the hash is still the same. */
  hash: string
}

/** Escapes the project's name for HTML. */
export function renderStarterPage(name: string, text: string): string {
  return pageWithTitle(
    name.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
    text
  )
}

/**
 * Finds a starter page that the customer has not changed. Unpacking a zip file and cloning a repository may replace
 * it.
 */
export async function findStarterPage(
  machine: Machine,
  folder: string
): Promise<StarterPage | null> {
  const argv = webRootScriptArgv(READ_SCRIPT, 'starter', [folder, String(MAX_BYTES)])
  const { stdout } = await translateMachineErrors(() => machine.exec(argv, { timeout: TIMEOUT_MS }))
  const parts = stdout.toString().split('\0', 8)
  for (const [kind, name] of [
    ['html', 'index.html'],
    ['php', 'index.php'],
  ] as const) {
    const index = parts.indexOf(name)
    const content = index === -1 ? undefined : parts[index + 1]
    // The customer can change the tools in the instance, so the script may send more than `MAX_BYTES`.
    if (content === undefined || content.length > MAX_BYTES) continue
    const title = /<title>(.*)<\/title>/.exec(content)?.[1]
    if (title === undefined) continue
    if (STARTER_TEXTS[kind].some((text) => content === pageWithTitle(title, text)))
      return { name, hash: createHash('sha256').update(content).digest('hex') }
  }
  return null
}

function pageWithTitle(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 90vh; margin: 0 1rem }
    </style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${text}</p>
    </main>
  </body>
</html>
`
}

import { test } from '@japa/runner'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installRoot } from '../paths.js'

const folders = ['app', 'bench', 'cli', 'commands', 'config', 'database', 'inertia', 'packages']
const others = ['providers', 'start', 'tests']

async function sources(): Promise<string[]> {
  const found = await Promise.all(
    [...folders, ...others].map(async (folder) => {
      const names = await readdir(join(installRoot, folder), { recursive: true })
      return names
        .filter((name) => /(?<!references\.spec)\.(tsx?|css)$/.test(name))
        .map((name) => join(folder, name))
    })
  )
  return found.flat()
}

async function references(pattern: RegExp): Promise<[where: string, what: string][]> {
  const all = await Promise.all(
    (await sources()).map(async (file) => {
      const lines = await readFile(join(installRoot, file), 'utf8')
      // A title may continue on the next comment line.
      const text = lines.replace(/\n\s*(?:\*(?!\/)|\/\/)\s?/g, ' ')
      return [...text.matchAll(pattern)].map(([, what]): [string, string] => [file, what])
    })
  )
  return all.flat()
}

test.group('References in comments', () => {
  test('references to the product name existing sections', async ({ assert }) => {
    const product = await readFile(join(installRoot, 'docs/product.md'), 'utf8')
    const sections = [...product.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    const found = await references(/\b[Pp]roduct, "([A-Z][^"]*)"/g)
    assert.isNotEmpty(found)
    assert.deepEqual(
      found.filter(([, what]) => !sections.includes(what)),
      []
    )
  })

  test('references to decisions name existing ones', async ({ assert }) => {
    const made = (await readdir(join(installRoot, 'docs/decisions'))).map((name) =>
      name.slice(0, 4)
    )
    const found = await references(/\bdecisions? (\d{4})\b/g)
    assert.isNotEmpty(found)
    assert.deepEqual(
      found.filter(([, what]) => !made.includes(what)),
      []
    )
  })

  test('name only files in the repository', async ({ assert }) => {
    const pattern =
      /\b((?:customer|administrator|both) specifications?|decisions, "|design, (?:mechanism|"))/gi
    assert.deepEqual(await references(pattern), [])
  })
})

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
      // Joins the lines of a comment, because the title of a section may continue on the next line.
      const text = lines.replace(/\n\s*(?:\*(?!\/)|\/\/)\s?/g, ' ')
      return [...text.matchAll(pattern)].map(([, what]): [string, string] => [file, what])
    })
  )
  return all.flat()
}

test.group('References in comments', () => {
  test('a reference to a section of product.md names an existing section', async ({ assert }) => {
    const product = await readFile(join(installRoot, 'docs/product.md'), 'utf8')
    const sections = [...product.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    const found = await references(/\bproduct(?:\.md)?, "([A-Z][^"]*)"/gi)
    assert.isNotEmpty(found)
    assert.deepEqual(
      found.filter(([, what]) => !sections.includes(what)),
      []
    )
  })

  test('a reference to a decision names an existing decision', async ({ assert }) => {
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

  test('a path in a comment names an existing file', async ({ assert }) => {
    const pattern =
      /\b((?:customer|administrator|both) specifications?|decisions, "|design, (?:mechanism|"))/gi
    assert.deepEqual(await references(pattern), [])
  })
})

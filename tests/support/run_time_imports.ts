/**
 * Prints what importing each file loads: files of this repository and packages, as JSON by file. Usage:
 * `run_time_imports.ts app/a.ts app/b.ts`. Imports of types do not exist at run time.
 */
import { installRoot } from '../../cli/paths.js'
import { Ignitor } from '@adonisjs/core'
import { setApp } from '@adonisjs/core/services/app'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = pathToFileURL(join(installRoot, '/')).href
const imports = new Map<string, Set<string>>()

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const parent = context.parentURL ?? ''
    imports.set(parent, (imports.get(parent) ?? new Set()).add(resolved.url))
    return resolved
  },
})

// AdonisJS's services wait for the start of an application. This one is never started.
setApp(new Ignitor(new URL(root)).createApp('repl'))
const entries = process.argv.slice(2)
for (const entry of entries) await import(new URL(entry, root).href)
const result = Object.fromEntries(entries.map((entry) => [entry, loadedBy(entry)]))
process.stdout.write(JSON.stringify(result))

function loadedBy(entry: string): { files: string[]; packages: string[] } {
  const urls = new Set([new URL(entry, root).href])
  for (const url of urls) for (const next of imports.get(url) ?? []) urls.add(next)
  const packageNames = [...urls].map(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  )
  return {
    files: [...urls]
      .filter((url) => url.startsWith(root) && !url.includes('/node_modules/'))
      .map((url) => url.slice(root.length)),
    packages: [...new Set(packageNames.filter((name) => name !== undefined))],
  }
}

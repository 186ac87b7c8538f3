import { join } from 'node:path'
import manifest from './package.json' with { type: 'json' }
import names from './app/modules.json' with { type: 'json' }

const at = (...names) => join(import.meta.dirname, ...names)

/** Aliases of package.json for dependency-cruiser, which does not know that their `.js` files are `.ts` sources. */
const aliases = Object.entries(manifest.imports)
  .filter(([name]) => name !== '#*')
  .map(([name, path]) => [name.replace('/*', ''), at(path.replace('/*.js', ''))])

/** One alias for each module of app/ (`#billing`), in place of the alias `#*` of package.json. */
const modules = names.flat().map((name) => [`#${name}`, at('app', name)])

export default {
  resolve: {
    alias: {
      ...Object.fromEntries([...aliases, ...modules]),
      '~': at('inertia'),
      '@ui': at('packages/ui'),
    },
  },
}

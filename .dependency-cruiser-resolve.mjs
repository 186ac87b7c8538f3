import { join } from 'node:path'
import manifest from './package.json' with { type: 'json' }
import names from './app/modules.json' with { type: 'json' }

const at = (...names) => join(import.meta.dirname, ...names)

/** The aliases of package.json as dependency-cruiser understands them: it does not see that their `.js` is a `.ts`. */
const aliases = Object.entries(manifest.imports)
  .filter(([name]) => name !== '#*')
  .map(([name, path]) => [name.replace('/*', ''), at(path.replace('/*.js', ''))])

/** What `#*` stands for. */
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

import { join } from 'node:path'
import manifest from './package.json' with { type: 'json' }

/** The aliases of package.json as dependency-cruiser understands them: it does not see that their `.js` is a `.ts`. */
const aliases = Object.entries(manifest.imports).map(([name, path]) => [
  name.replace('/*', ''),
  join(import.meta.dirname, path.replace('/*.js', '')),
])

export default {
  resolve: {
    alias: {
      ...Object.fromEntries(aliases),
      '~': join(import.meta.dirname, 'inertia'),
      '@ui': join(import.meta.dirname, 'packages/ui'),
    },
  },
}

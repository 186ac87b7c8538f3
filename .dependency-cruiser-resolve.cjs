const { join } = require('node:path')
const { imports } = require('./package.json')

/** The aliases of package.json as dependency-cruiser understands them: it does not see that their `.js` is a `.ts`. */
const alias = Object.entries(imports).map(([name, path]) => [
  name.replace('/*', ''),
  join(__dirname, path.replace('/*.js', '')),
])

module.exports = {
  resolve: {
    alias: {
      ...Object.fromEntries(alias),
      '~': join(__dirname, 'inertia'),
      '@ui': join(__dirname, 'packages/ui'),
    },
  },
}

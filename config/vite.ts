import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/vite'
import { existsSync } from 'node:fs'

/** Tests use the built pages if a build exists, like an installation, even if the server runs from the sources. */
const folder = app.inTest && existsSync(app.makePath('build')) ? 'build/' : ''

export default defineConfig({
  buildDirectory: `${folder}ssr`,
  manifestFile: `${folder}public/assets/.vite/manifest.json`,
  assetsUrl: '/assets',
  scriptAttributes: { defer: true },
})

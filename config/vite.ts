import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/vite'

/** Tests run from the sources with the pages of the build, as customers get them. */
const folder = app.inTest ? 'build/' : ''

export default defineConfig({
  buildDirectory: `${folder}ssr`,
  manifestFile: `${folder}public/assets/.vite/manifest.json`,
  assetsUrl: '/assets',
  scriptAttributes: { defer: true },
})

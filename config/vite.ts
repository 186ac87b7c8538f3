import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/vite'
import { existsSync } from 'node:fs'

/** Tests that run from the sources still use the built pages, as customers do. */
const folder = app.inTest && existsSync(app.makePath('build')) ? 'build/' : ''

export default defineConfig({
  buildDirectory: `${folder}ssr`,
  manifestFile: `${folder}public/assets/.vite/manifest.json`,
  assetsUrl: '/assets',
  scriptAttributes: { defer: true },
})

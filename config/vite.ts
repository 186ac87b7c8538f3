import { defineConfig } from '@adonisjs/vite'

export default defineConfig({
  buildDirectory: 'ssr',
  manifestFile: 'public/assets/.vite/manifest.json',
  assetsUrl: '/assets',
  scriptAttributes: { defer: true },
})

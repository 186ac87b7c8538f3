import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/inertia'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

/**
 * Returns the version of the built pages, which is computed once. The framework would compute it for each visit.
 * Returns undefined outside production.
 */
function assetsVersion(): string | undefined {
  const manifest = app.publicPath('assets/.vite/manifest.json')
  if (!app.inProduction || !existsSync(manifest)) return undefined
  return createHash('sha256').update(readFileSync(manifest)).digest('hex')
}

export default defineConfig({
  assetsVersion: assetsVersion(),
  rootView: 'inertia_layout',
  // Encrypts the browser's history with a key that is deleted when the person signs out
  // (app/core/middleware/inertia_middleware.ts).
  encryptHistory: true,
  ssr: { enabled: true, entrypoint: 'inertia/ssr.tsx' },
})

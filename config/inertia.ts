import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/inertia'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

/** Of what browsers were sent, worked out once: the framework would do it for each visit. Undefined while pages are developed. */
function assetsVersion(): string | undefined {
  const manifest = app.publicPath('assets/.vite/manifest.json')
  if (!app.inProduction || !existsSync(manifest)) return undefined
  return createHash('sha256').update(readFileSync(manifest)).digest('hex')
}

export default defineConfig({
  assetsVersion: assetsVersion(),
  rootView: 'inertia_layout',
  // Sign-out throws the key away (app/core/middleware/inertia_middleware.ts).
  encryptHistory: true,
  ssr: { enabled: true, entrypoint: 'inertia/ssr.tsx' },
})

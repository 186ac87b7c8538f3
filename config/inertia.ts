import { defineConfig } from '@adonisjs/inertia'

export default defineConfig({
  rootView: 'inertia_layout',
  // Sign-out throws the key away (app/core/middleware/inertia_middleware.ts).
  encryptHistory: true,
  ssr: { enabled: true, entrypoint: 'inertia/ssr.tsx' },
})

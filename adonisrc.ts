import { defineConfig } from '@adonisjs/core/app'
import type { PreloadNode } from '@adonisjs/core/types/app'

/** Gateway and worker serve no pages, so they save the memory of that code. */
const servesPages = !['gateway', 'worker'].includes(process.env.BERTH_ROLE ?? '')

const pages = [
  () => import('@adonisjs/core/providers/edge_provider'),
  () => import('@adonisjs/session/session_provider'),
  () => import('#providers/assets_provider'),
  () => import('@adonisjs/shield/shield_provider'),
  () => import('@adonisjs/static/static_provider'),
  () => import('@adonisjs/inertia/inertia_provider'),
]

const addresses: PreloadNode[] = [
  { file: () => import('#start/routes'), environment: ['web', 'test', 'console'] },
  { file: () => import('#start/kernel'), environment: ['web', 'test', 'console'] },
]

export default defineConfig({
  // Tests run from the sources with the pages of the build (config/vite.ts).
  directories: process.env.NODE_ENV === 'test' ? { public: 'build/public' } : {},

  commands: [() => import('@adonisjs/core/commands'), () => import('@adonisjs/lucid/commands')],

  providers: [
    () => import('@adonisjs/core/providers/app_provider'),
    () => import('@adonisjs/core/providers/hash_provider'),
    () => import('@adonisjs/core/providers/vinejs_provider'),
    () => import('@adonisjs/lucid/database_provider'),
    ...(servesPages ? pages : []),
    () => import('@adonisjs/auth/auth_provider'),
    () => import('@adonisjs/limiter/limiter_provider'),
    () => import('#providers/modules_provider'),
    () => import('#providers/monitoring_provider'),
  ],

  preloads: servesPages ? addresses : [],

  tests: {
    suites: [
      { name: 'packages', files: ['packages/**/*.spec.ts'], timeout: 180_000 },
      { name: 'cli', files: ['cli/**/*.spec.ts'], timeout: 180_000 },
      { name: 'app', files: ['app/!(databases)/**/*.spec.ts'], timeout: 180_000 },
      // `databases`, `service` and `processes` are not in `app` and `system`, because they run in another part
      // (cli/test_parts.ts).
      { name: 'databases', files: ['app/databases/**/*.spec.ts'], timeout: 180_000 },
      { name: 'service', files: ['tests/system/service.spec.ts'], timeout: 600_000 },
      { name: 'processes', files: ['tests/system/processes.spec.ts'], timeout: 600_000 },
      { name: 'consoles', files: ['tests/consoles/**/*.spec.ts'], timeout: 600_000 },
      {
        name: 'system',
        files: ['tests/system/**/!(service|processes).spec.ts'],
        timeout: 600_000,
      },
      { name: 'browser', files: ['tests/browser/**/*.spec.ts'], timeout: 600_000 },
      { name: 'isolated', files: ['tests/isolated/**/*.spec.ts'], timeout: 600_000 },
      { name: 'pages', files: ['tests/pages/**/*.spec.ts'], timeout: 600_000 },
      { name: 'conformance', files: ['tests/conformance/**/*.spec.ts'], timeout: 600_000 },
    ],
    forceExit: true,
  },
})

import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'
import adonisjs from '@adonisjs/vite/client'

/**
 * By default, the AdonisJS plugin puts the server-side bundle into a subfolder of `public/assets`. Everybody can read
 * `public/`, so that bundle goes to `ssr/`.
 */
export default defineConfig(({ command }) => ({
  plugins: [
    react(),
    adonisjs({
      entryPoints: ['inertia/app.tsx'],
      serverEntryPoints: ['inertia/ssr.tsx'],
      buildDirectory: 'ssr',
      assetsUrl: '/assets',
      reload: ['resources/views/**/*.edge'],
    }),
  ],
  build: { outDir: 'public/assets' },
  // The build puts all npm packages of the pages into the server-side bundle. Otherwise the server's first page
  // would take a second to read Mantine's hundreds of files, and a release would need all 28,000 files. The
  // development server would transform each package again at every start.
  ssr: command === 'build' ? { noExternal: true } : {},
  resolve: {
    alias: {
      '~/': `${import.meta.dirname}/inertia/`,
      '@ui/': `${import.meta.dirname}/packages/ui/`,
    },
  },
  server: { watch: { ignored: ['**/.berth/**', '**/.node/**', '**/build/**'] } },
}))

import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'
import adonisjs from '@adonisjs/vite/client'

/**
 * The build directory of the AdonisJS plugin also takes the server-side bundle. It is `ssr/`, outside
 * `public/`, because everything below `public/` is served to anybody; only the browser's files go there.
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
  // The build puts all npm packages of the pages into the server-side bundle. Read from its hundreds of
  // files, Mantine alone takes the server's first page a second, and a release need not contain them
  // (28,000 files). The development server would only transform each of them anew at every start.
  ssr: command === 'build' ? { noExternal: true } : {},
  resolve: {
    alias: {
      '~/': `${import.meta.dirname}/inertia/`,
      '@ui/': `${import.meta.dirname}/packages/ui/`,
    },
  },
  server: { watch: { ignored: ['**/.berth/**', '**/.node/**', '**/build/**'] } },
}))

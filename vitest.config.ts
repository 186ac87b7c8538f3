import { defineConfig } from 'vitest/config'
import react from '@vitejs/plugin-react'

/** Runs tests of page components with jsdom and without a server. Japa runs all other tests. */
export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: {
      '~/': `${import.meta.dirname}/inertia/`,
      '@ui/': `${import.meta.dirname}/packages/ui/`,
    },
  },
  test: {
    environment: 'jsdom',
    // Each thread loads jsdom once, and gives each file a new window in its own context. Loading jsdom for each file
    // takes 2.3 times the CPU time.
    pool: 'vmThreads',
    include: ['inertia/**/*.test.{ts,tsx}', 'packages/ui/**/*.test.{ts,tsx}'],
    setupFiles: ['packages/ui/vitest_setup.ts'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
    maxWorkers: 2,
    testTimeout: 60_000,
    restoreMocks: true,
  },
})

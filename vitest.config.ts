import { defineConfig } from 'vitest/config'
import react from '@vitejs/plugin-react'

/** Parts of pages: jsdom, no server. Everything else is tested by Japa. */
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
    // One jsdom for each thread, and a context of its own for each file: two fifths of the CPU time.
    pool: 'vmThreads',
    include: ['inertia/**/*.test.{ts,tsx}', 'packages/ui/**/*.test.{ts,tsx}'],
    setupFiles: ['packages/ui/vitest_setup.ts'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
    maxWorkers: 2,
    testTimeout: 60_000,
    restoreMocks: true,
  },
})

/** How the package managers install, build and start (product, "Projects"). */
export const packageManagers = {
  // An app without a build script is installed and started; only yarn cannot be told so.
  npm: {
    install: ['npm', 'install', '--no-audit', '--no-fund'],
    build: ['npm', 'run', '--if-present', 'build'],
  },
  pnpm: {
    install: ['npx', '--yes', 'pnpm@10', 'install', '--no-frozen-lockfile'],
    build: ['npx', '--yes', 'pnpm@10', 'run', '--if-present', 'build'],
  },
  yarn: {
    install: ['npx', '--yes', 'yarn@1', 'install', '--non-interactive'],
    build: ['npx', '--yes', 'yarn@1', 'run', 'build'],
  },
} as const

export type PackageManager = keyof typeof packageManagers

/** The start script is npm's to run whoever installed: it only reads package.json. */
export const npmStartArgv = ['npm', 'start']

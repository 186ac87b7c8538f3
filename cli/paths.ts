import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Whether this code runs from the build instead of the sources. */
export const runsFromBuild = import.meta.filename.endsWith('.js')

/** The folder of this installation: a checkout, a release or a package. */
export const installRoot = join(import.meta.dirname, runsFromBuild ? '../..' : '..')

/** The content of `release.json` in a release or package. */
export interface ReleaseManifest {
  version: string
  /** The checkout or package that the release was built from. */
  from?: string
}

const manifest = readReleaseManifest(installRoot)

/** The home that contains this release. Undefined for a checkout or package. */
export const releaseHomePath =
  manifest && basename(dirname(installRoot)) === 'releases'
    ? dirname(dirname(installRoot))
    : undefined

/** The origin of this installation: a checkout, or `/usr/lib/berth`. */
export const installSourcePath = manifest?.from ?? installRoot

/** Whether this is a Debian package, which has no sources. */
export const isPackaged = installSourcePath === '/usr/lib/berth'

/** Reads `release.json`. Returns undefined if the folder is not a release. */
export function readReleaseManifest(folder: string): ReleaseManifest | undefined {
  const file = join(folder, 'release.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ReleaseManifest) : undefined
}

/** Node's arguments to run TypeScript sources. A build needs none, and a package lacks the loader. */
export const typescriptLoaderArgs = runsFromBuild
  ? []
  : ['--import', import.meta.resolve('@poppinss/ts-exec')]

/** Path of a program that an npm package brings. */
export const programPath = (name: string) => join(installRoot, 'node_modules/.bin', name)

/** TypeScript 7 (docs/decisions/0067). `node_modules/.bin/tsc` may be that of TypeScript 6, which other tools load. */
export const typescriptCompiler = join(installRoot, 'node_modules/@typescript/native/bin/tsc')

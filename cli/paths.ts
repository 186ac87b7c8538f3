import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export const runsFromBuild = import.meta.filename.endsWith('.js')

/** Folder of the running code: a checkout, a release or a package. */
export const installRoot = join(import.meta.dirname, runsFromBuild ? '../..' : '..')

/** `release.json` in a release or package. */
export interface ReleaseManifest {
  version: string
  /** The checkout or package of the installation that created the release. `./berth upgrade` uses it by default. */
  from?: string
}

const manifest = readReleaseManifest(installRoot)

/** Home in which this release is stored. Undefined for a checkout or package. */
export const releaseHomePath =
  manifest && basename(dirname(installRoot)) === 'releases'
    ? dirname(dirname(installRoot))
    : undefined

export const installSourcePath = manifest?.from ?? installRoot

/** Whether Berth was installed as a Debian package, which contains no sources. */
export const isPackaged = installSourcePath === '/usr/lib/berth'

/** Undefined if the folder is not a release. */
export function readReleaseManifest(folder: string): ReleaseManifest | undefined {
  const file = join(folder, 'release.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ReleaseManifest) : undefined
}

/**
 * Arguments with which Node runs the TypeScript sources. Empty for a build, which does not need the loader. A package
 * does not contain it.
 */
export const typescriptLoaderArgs = runsFromBuild
  ? []
  : ['--import', import.meta.resolve('@poppinss/ts-exec')]

export const programPath = (name: string) => join(installRoot, 'node_modules/.bin', name)

/** TypeScript 7 (docs/decisions/0067). `node_modules/.bin/tsc` may belong to TypeScript 6, which other tools load. */
export const typescriptCompiler = join(installRoot, 'node_modules/@typescript/native/bin/tsc')

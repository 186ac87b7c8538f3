import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** True where this runs from the build folder instead of the sources. */
export const runsFromBuild = import.meta.filename.endsWith('.js')

/** The folder that all of this is in: a checkout, or what was built of one (a release, a package). */
export const installRoot = join(import.meta.dirname, runsFromBuild ? '../..' : '..')

/** What stands in `release.json` of what was built to be run elsewhere. */
export interface ReleaseManifest {
  version: string
  /** Of an unpacked release: the checkout or package of the installation that it is one of. */
  from?: string
}

const manifest = readReleaseManifest(installRoot)

/** The home whose release this is; undefined where this runs from a checkout or from where the package put it. */
export const releaseHomePath =
  manifest && basename(dirname(installRoot)) === 'releases'
    ? dirname(dirname(installRoot))
    : undefined

/** Where the installation came from: a checkout, or `/usr/lib/berth`. */
export const installSourcePath = manifest?.from ?? installRoot

/** True where this came as a package of the distribution: there are no sources. */
export const isPackaged = installSourcePath === '/usr/lib/berth'

/** Facts of a built folder; undefined where it is none. */
export function readReleaseManifest(folder: string): ReleaseManifest | undefined {
  const file = join(folder, 'release.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ReleaseManifest) : undefined
}

/** `--import` of the loader that lets Node run TypeScript sources; a build needs none, and a package lacks it. */
export const typescriptLoaderArgs = runsFromBuild
  ? []
  : ['--import', import.meta.resolve('@poppinss/ts-exec')]

/** Path of a program that an npm package brings. */
export const programPath = (name: string) => join(installRoot, 'node_modules/.bin', name)

/** TypeScript 7 (docs/decisions/0067). `node_modules/.bin/tsc` may be that of TypeScript 6, which other tools load. */
export const typescriptCompiler = join(installRoot, 'node_modules/@typescript/native/bin/tsc')

import { join } from 'node:path'

/** True where this runs from the build folder instead of the sources. */
export const isBuilt = import.meta.filename.endsWith('.js')

/** True where this came as a package of the distribution: there are no sources. */
export const isPackaged = import.meta.dirname.startsWith('/usr/lib/berth/')

/** The repository's root folder. */
export const root = join(import.meta.dirname, isBuilt ? '../..' : '..')

/** `--import` of the loader that lets Node run TypeScript sources; a build needs none, and a package lacks it. */
export const loader = isBuilt ? [] : ['--import', import.meta.resolve('@poppinss/ts-exec')]

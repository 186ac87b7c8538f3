import { join } from 'node:path'

/** True where this runs from the build folder instead of the sources. */
export const isBuilt = import.meta.filename.endsWith('.js')

/** The repository's root folder. */
export const root = join(import.meta.dirname, isBuilt ? '../..' : '..')

/** `--import` of the loader that lets Node run TypeScript sources; resolved from the root. */
export const loader = ['--import', import.meta.resolve('@poppinss/ts-exec')]

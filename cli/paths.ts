import { join } from 'node:path'

/** The repository's root folder. */
export const root = join(import.meta.dirname, '..')

/** `--import` of the loader that lets Node run TypeScript sources; resolved from the root. */
export const loader = ['--import', import.meta.resolve('@poppinss/ts-exec')]

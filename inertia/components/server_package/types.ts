import type { PackageListPage } from '#catalog/transformers/pages'

export type { PackageListPage }
/** A package with how many instances have it. */
export type PackageRow = PackageListPage['packages'][number]
export type { VersionView } from '#catalog/transformers/package'

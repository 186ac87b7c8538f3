import type { PackageListPage } from '#compute/transformers/package_pages'

export type { PackageListPage }
/** A package with how many instances have it. */
export type PackageRow = PackageListPage['packages'][number]

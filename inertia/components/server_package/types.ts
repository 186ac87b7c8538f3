export type { PackagePrice } from '#catalog/models/server_package'
export type { PackageListPage, PackageRow } from '#catalog/transformers/page_props'
export type { VersionView } from '#catalog/transformers/package'

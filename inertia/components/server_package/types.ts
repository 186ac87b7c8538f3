export type { Price } from '#catalog/models/server_package'
export type { PackageListPage, PackageRow } from '#catalog/transformers/pages'
export type { VersionView } from '#catalog/transformers/package'

import PackageVersion from '#catalog/models/package_version'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'

export function getCurrentPackageVersion(
  serverPackageId: number,
  options?: ModelAdapterOptions
): Promise<PackageVersion> {
  return PackageVersion.query(options)
    .where({ serverPackageId })
    .orderBy('number', 'desc')
    .firstOrFail()
}

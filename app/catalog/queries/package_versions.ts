import PackageVersion from '#catalog/models/package_version'
import { packageAvailabilityProvider } from '#catalog/package_availability_provider'
import { listResourceAndPriceChanges } from '#catalog/resources_and_prices'
import type { VersionView } from '#catalog/transformers/package'
import { Person } from '#identity/public'

export async function listVersionsByPackage(
  packageIds: number[]
): Promise<Map<number, VersionView[]>> {
  const [versions, counts] = await Promise.all([
    PackageVersion.query().whereIn('serverPackageId', packageIds).orderBy('number'),
    packageAvailabilityProvider.instances(),
  ])
  const editors = versions.flatMap(({ createdBy }) => createdBy ?? [])
  const people = await Person.query().whereIn('id', [...new Set(editors)])
  const names = new Map(people.map(({ id, name }) => [id, name]))
  const versionsByPackage = new Map<number, VersionView[]>()
  const before = new Map<number, PackageVersion>()
  for (const version of versions) {
    const { id, serverPackageId, number, createdAt, createdBy } = version
    const last = before.get(serverPackageId)
    const view = {
      number,
      at: createdAt.toISO()!,
      by: (createdBy && names.get(createdBy)) || null,
      instances: counts.get(id) ?? 0,
      changes: last ? listResourceAndPriceChanges(last, version) : null,
    }
    versionsByPackage.set(serverPackageId, [
      view,
      ...(versionsByPackage.get(serverPackageId) ?? []),
    ])
    before.set(serverPackageId, version)
  }
  return versionsByPackage
}

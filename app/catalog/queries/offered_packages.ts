import ServerPackage from '#catalog/models/server_package'

/** Returns a query for the packages on sale, in order of the catalogue. */
export function listOfferedPackages() {
  return ServerPackage.query().where('offered', true).orderBy('position').orderBy('id')
}

/** Returns a query for the packages on sale, grouped by instance type. */
export function listOfferedPackagesSortedByType() {
  return ServerPackage.query()
    .where('offered', true)
    .orderBy('instance_type')
    .orderBy('position')
    .orderBy('id')
}

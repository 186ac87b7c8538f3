import ServerPackage from '#catalog/models/server_package'

/** What is offered, in the order of the catalogue. */
export function listOfferedPackages() {
  return ServerPackage.query().where('offered', true).orderBy('position').orderBy('id')
}

/** The same, one type of instances after the other. */
export function listOfferedPackagesSortedByType() {
  return ServerPackage.query()
    .where('offered', true)
    .orderBy('instance_type')
    .orderBy('position')
    .orderBy('id')
}

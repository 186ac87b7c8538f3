import ServerPackage from '#catalog/models/server_package'

export function listOfferedPackages() {
  return ServerPackage.query().where('offered', true).orderBy('position').orderBy('id')
}

export function listOfferedPackagesSortedByType() {
  return ServerPackage.query()
    .where('offered', true)
    .orderBy('instance_type')
    .orderBy('position')
    .orderBy('id')
}

import ServerPackage from '#catalog/models/server_package'

/** What is offered, in the order of the catalogue. */
export function offeredPackages() {
  return ServerPackage.query().where('offered', true).orderBy('position').orderBy('id')
}

/**
 * What can be done with a machine alone. It knows no database, so that benches can use what stands
 * on it; everybody else imports `#guest/public`.
 */
export * from '#guest/errors'
export * from '#guest/machine/paths'
export { argumentOf, bytesOf, textOf } from '#guest/machine/raw_names'
export { follow, followFiles, type Progress } from '#guest/machine/follow'
export { agreeOnOwners, fixOwnership } from '#guest/machine/ownership'
export {
  asOwner,
  OWNER_USER,
  OWNER_HOME,
  reaching,
  run,
  runAsOwner,
  withoutColours,
} from '#guest/machine/run'
export { scriptArgv, webRootScript } from '#guest/machine/scripts'
export { enableService } from '#guest/machine/services'
export { installMariadb, installPackages } from '#guest/machine/software'
export { folderOf, webRoot } from '#guest/machine/web_root'

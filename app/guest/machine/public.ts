/**
 * What can be done with a machine alone. It knows no database, so that benches can use what stands
 * on it; everybody else imports `#guest/public`.
 */
export * from '#guest/errors'
export * from '#guest/machine/paths'
export { escapeArgument, textToBytes, bytesToText } from '#guest/machine/raw_names'
export { runWithProgress, followFiles, type Progress } from '#guest/machine/run_with_progress'
export { setUpOwnership, fixOwnership } from '#guest/machine/ownership'
export {
  asOwner,
  OWNER_USER,
  OWNER_HOME,
  withMachineErrors,
  runCommand,
  runAsOwner,
  withoutColours,
} from '#guest/machine/run'
export { scriptArgv, webRootScript } from '#guest/machine/scripts'
export { enableService } from '#guest/machine/services'
export { installMariadb, installPackages } from '#guest/machine/software'
export { folderOf, webRoot } from '#guest/machine/web_root'

/**
 * What can be done with a machine alone. It knows no database, so that benches can use what stands
 * on it; everybody else imports `#guest/public`.
 */
export * from '#guest/errors'
export * from '#guest/machine/paths'
export { toOctalEscapes, textToBytes, bytesToText } from '#guest/machine/raw_names'
export {
  runWithProgress,
  followFiles,
  type ProgressReporter,
} from '#guest/machine/run_with_progress'
export { grantOwnerAccess, fixOwnership } from '#guest/machine/ownership'
export {
  commandAsOwner,
  OWNER_USER,
  OWNER_HOME,
  translateMachineErrors,
  runCommand,
  runAsOwner,
  stripTerminalCodes,
} from '#guest/machine/run_command'
export { scriptArgv, webRootScript } from '#guest/machine/web_root_scripts'
export { enableService } from '#guest/machine/enable_service'
export { installMariadb, installPackages } from '#guest/machine/software'
export { absoluteWebPath, webRoot } from '#guest/machine/web_root'

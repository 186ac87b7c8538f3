/**
 * Needs no database. Code that must run without the application, as in benchmarks, imports this
 * file; all other code imports `#guest/public`.
 */
export * from '#guest/errors'
export * from '#guest/machine/web_paths'
export { toOctalEscapes, losslessTextToBytes, bytesToLosslessText } from '#guest/machine/raw_names'
export { runWithProgress, tailFiles, type ProgressReporter } from '#guest/machine/run_with_progress'
export { grantOwnerAccessToWebRoot, fixWebRootOwnership } from '#guest/machine/web_root_ownership'
export {
  commandAsOwner,
  SITE_OWNER_USER,
  SITE_OWNER_HOME,
  translateMachineErrors,
  runCommand,
  runAsOwner,
  stripTerminalCodes,
} from '#guest/machine/run_command'
export { webRootScriptArgv, webRootScript } from '#guest/machine/web_root_scripts'
export { enableService } from '#guest/machine/enable_service'
export { installMariadb, installAptPackages } from '#guest/machine/install_software'
export { absoluteWebPath, webRoot } from '#guest/machine/web_root'

export type { ProgressReporter } from '#guest/machine/progress_sender'
export { runWithProgress, tailFiles } from '#guest/machine/run_with_progress'
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
export { findStarterPage, renderStarterPage, STARTER_TEXTS } from '#guest/machine/starter_page'
export { enableService } from '#guest/machine/enable_service'
export { installMariadb, installAptPackages } from '#guest/machine/install_software'

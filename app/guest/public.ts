export * from '#guest/errors'
export * from '#guest/machine/web_paths'
export { absoluteWebPath, webRoot } from '#guest/machine/web_root'
export { toOctalEscapes, losslessTextToBytes, bytesToLosslessText } from '#guest/machine/raw_names'
export {
  type AddEnvironmentVariablesRequest,
  addEnvironmentVariables,
  getInstanceIdOfResource,
  registerInstanceLookup,
  onMariadbChanged,
  registerEnvironmentReceiver,
  runMariadbChangedHooks,
  listEnvironmentReceivers,
} from '#guest/module_hooks'

export { default as ServerInstance } from '#instances/models/server_instance'
export {
  findSelectedInstance,
  getInstance,
  getInstanceEvenIfDeleted,
  instancesVisibleTo,
} from '#instances/queries/instances'
export { loadUsableInstance } from '#instances/queries/usable_instance'
export { assertInstanceCan, instanceCan } from '#instances/states/instance'
export { beforeInstanceDeletion, onInstanceDeletionCommit } from '#instances/deletion_hooks'
export { onInstanceRestored, type RestoreInfo } from '#instances/restore_hooks'
export { instanceDomainProvider } from '#instances/instance_domain_provider'
export type { DomainView } from '#instances/transformers/domain_view'
export { freeBytesWithinQuota } from '#instances/disk_quota'
export { saveDiskUse } from '#instances/actions/save_disk_use'

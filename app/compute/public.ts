/** What other domains may use of compute. */
export { default as HostInstance, hostStatuses } from '#compute/models/host_instance'
export { default as ServerInstance, instanceStatuses } from '#compute/models/server_instance'
export { default as ServerPackage } from '#compute/models/server_package'
export { default as Domain, domainStatuses } from '#compute/models/domain'
export { findInstance, instancesOf, subjectOf } from '#compute/queries/instances'
export { findHost } from '#compute/queries/hosts'
export { hostOf, incusOf, machineOf, machineThroughHost } from '#compute/connections'
export { hostMachineOf } from '#compute/host_machine'
export {
  assertCan,
  type InstanceAction,
  instanceCan,
  type Verdict,
} from '#compute/policies/instance_rules'
export { assertHostCan, hostCan } from '#compute/policies/host_rules'
export { onDomainsChanged, onInstanceDeleted } from '#compute/hooks'
export { claimDomain, releaseDomain } from '#compute/edge/domains'
export { domainName, domainProblem } from '#compute/edge/names'
export { domainViews } from '#compute/transformers/domain'
export { closePort, openPort } from '#compute/actions/open_port'

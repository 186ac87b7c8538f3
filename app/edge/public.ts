export { default as Domain } from '#edge/models/domain'
export {
  claimProjectDomains,
  type ProjectDomainRoutes,
  removeDomainClaims,
  setDomainRoutes,
} from '#edge/domain_claims'
export { onDomainsAdded } from '#edge/domain_hooks'
export {
  edgeHeaderPrefix,
  findPublicEdgeAddress,
  getTrustedEdge,
  listEdgeSourceAddresses,
} from '#edge/edge_addresses'
export { normalizeDomainName, findDomainNameProblem, parseDomain } from '#edge/domain_names'
export { configuredDnsServers, lookUpDomainProofs } from '#edge/domain_ownership'
export { domainViews } from '#edge/transformers/domain'

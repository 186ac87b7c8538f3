/** Public interface of the edge module for other modules. */
export { default as Domain } from '#edge/models/domain'
export { pointDomainAtInstance, removeDomainClaim, setDomainTlsPort } from '#edge/domain_claims'
export { listEdgeSourceAddresses, findPublicEdgeAddress } from '#edge/edge_addresses'
export { normalizeDomainName, findDomainNameProblem, parseDomain } from '#edge/domain_names'
export { configuredDnsServers, lookUpDomainProofs } from '#edge/domain_ownership'
export { domainViews } from '#edge/transformers/domain'

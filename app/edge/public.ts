/** What other domains may use of the edge. */
export { default as Domain } from '#edge/models/domain'
export { claimDomain, releaseDomain, setTlsPort } from '#edge/domains'
export { edgeSourcesFor, edgeTarget } from '#edge/here'
export { domainName, domainProblem, readDomain } from '#edge/names'
export { nameServers } from '#edge/proof'
export { domainViews } from '#edge/transformers/domain'

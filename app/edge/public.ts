/** What other domains may use of the edge. */
export { default as Domain } from '#edge/models/domain'
export { claimDomain, releaseDomain } from '#edge/domains'
export { domainName, domainProblem } from '#edge/names'
export { domainViews } from '#edge/transformers/domain'

/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type {
  AdminInstanceCard,
  AdminInstanceView,
  DeletionView,
  HistoryView,
  InstanceCard,
  InstanceView,
} from '#compute/transformers/instance'
export type { DnsRecord, DomainView } from '#core/contracts/domain_view'
export type {
  AdminInstanceListPage,
  AdminInstancePage,
  InstanceListPage,
  InstancePage,
  StatusMap,
} from '#compute/transformers/pages'
export type { OfferView, PackageView } from '#compute/transformers/package'
export type { Verdict } from '#compute/policies/instance_rules'
export type { Specifications } from '#compute/models/host_instance'

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
} from '#compute/transformers/pages'
export type { StatusMap } from '#core/list_page'
export type { OfferView, PackageView } from '#compute/transformers/package'
export type { Verdict } from '#core/verdict'
export type { Specifications } from '#compute/models/server_package'

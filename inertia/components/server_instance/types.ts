/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type {
  AdminInstanceView,
  DeletionView,
  HistoryView,
  InstanceCard,
  InstanceView,
} from '#instances/transformers/instance'
export type { DnsRecord, DomainView } from '#instances/views/public_types'
export type {
  AdminInstanceListPage,
  AdminInstancePage,
  InstanceListPage,
  InstancePage,
} from '#instances/transformers/pages'
export type { StatusMap } from '#core/list_page'
export type { OfferView, PackageView } from '#catalog/transformers/package'

export type { Specifications } from '#catalog/models/server_package'

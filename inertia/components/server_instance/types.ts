export type {
  AdminInstanceView,
  DeletionView,
  HistoryView,
  InstanceCard,
  InstanceView,
} from '#instances/transformers/instance'
export type { DnsRecord, DomainView } from '#instances/transformers/domain_view'
export type {
  AdminInstanceListPage,
  AdminInstancePage,
  InstanceListPage,
  InstancePage,
} from '#instances/transformers/page_props'
export type { StatusLabels } from '#core/list_page'
export type { PackageWithAvailabilityView, PackageView } from '#catalog/transformers/package'

export type { Specifications } from '#catalog/models/server_package'

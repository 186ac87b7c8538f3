export type {
  HostCapacityView,
  HostCard,
  HostedServerRow,
  HostView,
} from '#hosts/transformers/host'
export type { HostDiscrepancyView, HostListPage, HostPage } from '#hosts/transformers/page_props'

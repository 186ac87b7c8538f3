/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type {
  HostCapacityView,
  HostCard,
  HostedServerRow,
  HostView,
} from '#hosts/transformers/host'
export type { HostDiscrepancyView, HostListPage, HostPage } from '#hosts/transformers/page_props'

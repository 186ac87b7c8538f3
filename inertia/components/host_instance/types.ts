/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type { HostCapacity, HostCard, HostedServerRow, HostView } from '#hosts/transformers/host'
export type { HostFindingView, HostListPage, HostPage } from '#hosts/transformers/pages'

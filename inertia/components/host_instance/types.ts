/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type { HostCapacity, HostCard, HostServerRow, HostView } from '#hosts/transformers/host'
export type { FindingView, HostListPage, HostPage } from '#hosts/transformers/pages'

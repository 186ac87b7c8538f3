/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type { HostCapacity, HostCard, HostServerRow, HostView } from '#compute/transformers/host'
export type { FindingView, HostListPage, HostPage } from '#compute/transformers/host_pages'

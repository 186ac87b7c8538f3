/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type { DeviceRow, ProfilePage } from '#identity/transformers/page_props'

/** Where a profile's forms go: the area's own address. */
export type ProfilePath = '/profile' | '/admin/profile'

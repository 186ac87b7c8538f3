export type { DeviceRow, ProfilePage } from '#identity/transformers/page_props'

export type ProfilePath = '/profile' | '/admin/profile'

/**
 * Types of the server's responses. Type-only exports keep server code out of the browser bundle.
 */
export type { DeviceRow, ProfilePage } from '#identity/transformers/page_props'

/** The base path of the profile's forms, by area. */
export type ProfilePath = '/profile' | '/admin/profile'

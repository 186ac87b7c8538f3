import type { ColorScheme } from '~/types'

export interface Profile {
  name: string
  email: string
  title: string | null
  role: 'administrator' | 'support' | null
  colorScheme: ColorScheme
  defaultInstanceId: number | null
  hasPassword: boolean
}

export interface DeviceRow {
  id: string
  /** "Firefox on Linux" */
  name: string
  ip: string
  since: string
  seenAt: string
  /** the browser that shows this page */
  current: boolean
}

export interface ProfileProps {
  profile: Profile
  /** what can be made the default instance; customers only */
  instances: { id: number; name: string }[]
  /** the address that waits for its OTP */
  pendingEmail: string | null
  devices: DeviceRow[]
}

/** Where a profile's forms go: the area's own address. */
export type Base = '/profile' | '/admin/profile'

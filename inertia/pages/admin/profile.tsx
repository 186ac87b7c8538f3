import { Head } from '@inertiajs/react'
import { Address } from '~/components/profile/address'
import { Details } from '~/components/profile/details'
import { Devices } from '~/components/profile/devices'
import { Password } from '~/components/profile/password'
import type { ProfilePage } from '~/components/profile/types'
import { PageHeader } from '@ui/page_header'

const base = '/admin/profile'

/** The own page of a member of staff. */
export default function Profile(props: ProfilePage) {
  const { profile, devices } = props
  return (
    <>
      <Head title="Profile" />
      <PageHeader title="Profile" hint={`${profile.email}, ${profile.role}`} />
      <Details base={base} {...props} />
      <Address base={base} {...props} />
      <Password base={base} hasPassword={profile.hasPassword} />
      <Devices base={base} devices={devices} />
    </>
  )
}

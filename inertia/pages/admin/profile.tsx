import { Head } from '@inertiajs/react'
import { ChangeEmail } from '~/components/profile/change_email'
import { ProfileDetailsForm } from '~/components/profile/profile_details_form'
import { SignedInDevices } from '~/components/profile/signed_in_devices'
import { ChangePassword } from '~/components/profile/change_password'
import type { ProfilePage } from '~/components/profile/types'
import { PageHeader } from '@ui/page_header'

const base = '/admin/profile'

export default function Profile(props: ProfilePage) {
  const { profile, devices } = props
  return (
    <>
      <Head title="Profile" />
      <PageHeader title="Profile" hint={`${profile.email}, ${profile.role}`} />
      <ProfileDetailsForm base={base} {...props} />
      <ChangeEmail base={base} {...props} />
      <ChangePassword base={base} hasPassword={profile.hasPassword} />
      <SignedInDevices base={base} devices={devices} />
    </>
  )
}

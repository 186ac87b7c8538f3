import { Head, router, usePage } from '@inertiajs/react'
import {
  ActivityDetails,
  activityColumns,
  type ActivityRow,
} from '~/components/activity/activity_columns'
import { List } from '~/components/list/list'
import { tabUrl, tabFromUrl } from '~/components/url_tabs'
import { ChangeEmail } from '~/components/profile/change_email'
import { ProfileDetailsForm } from '~/components/profile/profile_details_form'
import { SignedInDevices } from '~/components/profile/signed_in_devices'
import { ChangePassword } from '~/components/profile/change_password'
import type { ProfilePage } from '~/components/profile/types'
import type { ListPageProps } from '~/types'
import { PageHeader } from '@ui/page_header'
import { Tabs } from '@ui/tabs'

const base = '/profile'

export default function Profile(props: ProfilePage & ListPageProps<ActivityRow>) {
  const { profile, devices } = props
  const { url } = usePage()
  const tabs = [
    { key: 'profile', label: 'Profile', panel: <ProfileDetailsForm base={base} {...props} /> },
    {
      key: 'security',
      label: 'Sign-in',
      panel: (
        <>
          <ChangeEmail base={base} {...props} />
          <ChangePassword base={base} hasPassword={profile.hasPassword} />
          <SignedInDevices base={base} devices={devices} />
        </>
      ),
    },
    {
      key: 'activity',
      label: 'Activity',
      panel: (
        <List
          path="/profile"
          query={{ tab: 'activity' }}
          name="activity"
          live={['audit']}
          answer={props}
          label="Activity"
          all="All Activity"
          searchLabel="Search by person, action or resource"
          columns={activityColumns}
          rowKey={(row) => row.id}
          details={(row) => <ActivityDetails row={row} prefix="" />}
          filters={[
            { kind: 'date', name: 'from', label: 'From' },
            { kind: 'date', name: 'until', label: 'Until' },
          ]}
          empty={{ title: 'No activity yet' }}
        />
      ),
    },
  ]
  const tab = tabFromUrl(url, tabs)

  return (
    <>
      <Head title="Profile" />
      <PageHeader title="Profile" hint={profile.email} />
      <Tabs
        tabs={tabs}
        label="Profile"
        value={tab}
        // The server loads the activity log, so a change to its tab is a visit.
        onChange={(key) => router.get(tabUrl(base, key, 'profile'), {}, { preserveScroll: true })}
      />
    </>
  )
}

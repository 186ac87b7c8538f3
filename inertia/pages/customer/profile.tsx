import { Head, router, usePage } from '@inertiajs/react'
import { ActivityDetails, activityColumns, type ActivityRow } from '~/components/activity/columns'
import { List } from '~/components/list/list'
import { tabAddress, tabOf } from '~/components/address_tabs'
import { Address } from '~/components/profile/address'
import { Details } from '~/components/profile/details'
import { Devices } from '~/components/profile/devices'
import { Password } from '~/components/profile/password'
import type { ProfilePage } from '~/components/profile/types'
import type { ListAnswer } from '~/types'
import { PageHeader } from '@ui/page_header'
import { Tabs } from '@ui/tabs'

const base = '/profile'

/** A customer's own page: who they are, how they get in, and what was done in their name. */
export default function Profile(props: ProfilePage & ListAnswer<ActivityRow>) {
  const { profile, devices } = props
  const { url } = usePage()
  const tabs = [
    { key: 'profile', label: 'Profile', panel: <Details base={base} {...props} /> },
    {
      key: 'security',
      label: 'Sign-in',
      panel: (
        <>
          <Address base={base} {...props} />
          <Password base={base} hasPassword={profile.hasPassword} />
          <Devices base={base} devices={devices} />
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
          searchLabel="Search by person, action or object"
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
  const tab = tabOf(url, tabs)

  return (
    <>
      <Head title="Profile" />
      <PageHeader title="Profile" hint={profile.email} />
      <Tabs
        tabs={tabs}
        label="Profile"
        value={tab}
        // The log is read by the server, so this tab is a visit.
        onChange={(key) =>
          router.get(tabAddress(base, key, 'profile'), {}, { preserveScroll: true })
        }
      />
    </>
  )
}

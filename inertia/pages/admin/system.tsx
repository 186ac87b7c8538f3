import { Head, router } from '@inertiajs/react'
import { PageHeader } from '@ui/page_header'
import { Tabs } from '@ui/tabs'
import { tabAddress } from '~/components/address_tabs'
import { ScheduleList } from '~/components/system/schedule_list'
import { ServiceTables } from '~/components/system/service_tables'
import type { SystemPage } from '~/components/system/types'
import { WorkList } from '~/components/system/work_list'

/** What Berth does by itself: work in order of need, everything that it does again and again, and what its services keep. */
export default function System(page: SystemPage) {
  const tabs = [
    { key: 'work', label: 'Work', panel: page.tab === 'work' && <WorkList page={page} /> },
    {
      key: 'schedules',
      label: 'Schedules',
      panel: page.tab === 'schedules' && <ScheduleList page={page} />,
    },
    {
      key: 'tables',
      label: 'Tables',
      panel: page.tab === 'tables' && <ServiceTables page={page} />,
    },
  ]
  return (
    <>
      <Head title="System" />
      <PageHeader
        title="System"
        hint="What Berth is doing by itself. Stuck work waits for somebody to retry or end it."
      />
      <Tabs
        tabs={tabs}
        label="System"
        value={page.tab}
        // Each list is read by the server, so a tab is a visit.
        onChange={(key) =>
          router.get(tabAddress('/admin/system', key, 'work'), {}, { preserveScroll: true })
        }
      />
    </>
  )
}

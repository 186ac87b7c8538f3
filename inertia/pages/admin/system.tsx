import { Head, router } from '@inertiajs/react'
import { PageHeader } from '@ui/page_header'
import { Tabs } from '@ui/tabs'
import { tabUrl } from '~/components/url_tabs'
import { AlertList } from '~/components/system/alert_list'
import { HealthPanel } from '~/components/system/health_panel'
import { ScheduleList } from '~/components/system/schedule_list'
import { TableSizesByService } from '~/components/system/table_sizes_by_service'
import type { SystemPage } from '~/components/system/types'
import { OperationList } from '~/components/system/operation_list'

export default function System(page: SystemPage) {
  const tabs = [
    {
      key: 'health',
      label: 'Health',
      panel: page.tab === 'health' && <HealthPanel health={page.health} />,
    },
    { key: 'alerts', label: 'Alerts', panel: page.tab === 'alerts' && <AlertList page={page} /> },
    {
      key: 'work',
      label: 'Operations',
      panel: page.tab === 'work' && <OperationList page={page} />,
    },
    {
      key: 'schedules',
      label: 'Schedules',
      panel: page.tab === 'schedules' && <ScheduleList page={page} />,
    },
    {
      key: 'tables',
      label: 'Tables',
      panel: page.tab === 'tables' && <TableSizesByService page={page} />,
    },
  ]
  return (
    <>
      <Head title="System" />
      <PageHeader
        title="System"
        hint="Health, operations and scheduled jobs of Berth, and what needs your attention."
      />
      <Tabs
        tabs={tabs}
        label="System"
        value={page.tab}
        // The server loads the list of each tab, so a change of tab is a visit.
        onChange={(key) =>
          router.get(tabUrl('/admin/system', key, 'health'), {}, { preserveScroll: true })
        }
      />
    </>
  )
}

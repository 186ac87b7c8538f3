import type { ReactNode } from 'react'
import { usePage } from '@inertiajs/react'
import { Tabs, type Tab } from '@ui/tabs'
import { pushUrl } from '~/client_navigation'

/** The first tab needs no parameter. */
export function tabUrl(url: string, key: string, first: string) {
  const address = new URL(url, 'http://page')
  if (key === first) address.searchParams.delete('tab')
  else address.searchParams.set('tab', key)
  return address.pathname + address.search
}

/** Returns the tab that a URL selects. Default: the first one. */
export function tabFromUrl(url: string, tabs: Pick<Tab, 'key'>[]) {
  const named = new URL(url, 'http://page').searchParams.get('tab')
  return tabs.find((tab) => tab.key === named)?.key ?? tabs[0].key
}

interface UrlTabsProps {
  tabs: Tab[]
  label: string
  aside?: ReactNode
}

/** The selected tab survives reload and Back. Selecting a tab makes no request. */
export function UrlTabs({ tabs, label, aside }: UrlTabsProps) {
  const { url } = usePage()
  return (
    <Tabs
      tabs={tabs}
      label={label}
      aside={aside}
      value={tabFromUrl(url, tabs)}
      onChange={(key) => pushUrl(tabUrl(url, key, tabs[0].key))}
    />
  )
}

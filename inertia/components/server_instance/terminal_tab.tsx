import { lazy, Suspense } from 'react'
import { usePage } from '@inertiajs/react'
import { useMounted } from '@mantine/hooks'
import { EmptyState } from '@ui/empty_state'
import type { TerminalPanelProps } from '~/components/terminal/terminal_panel'
import type { SharedProps } from '~/types'
import styles from './terminal_tab.module.css'

const TerminalPanel = lazy(() => import('~/components/terminal/terminal_panel'))

interface TerminalTabProps extends Pick<
  TerminalPanelProps,
  'grantUrl' | 'grantBody' | 'label' | 'instanceType'
> {
  reason: string | null
}

/** The terminal's code is loaded when the tab is opened. */
export function TerminalTab({ reason, ...panel }: TerminalTabProps) {
  const { gatewayUrl } = usePage<SharedProps>().props
  const mounted = useMounted()
  if (reason) return <EmptyState title="Terminal not available" hint={reason} />
  if (!mounted) return <div className={styles.bones} />
  return (
    <Suspense fallback={<div className={styles.bones} />}>
      <TerminalPanel {...panel} gatewayUrl={gatewayUrl} height={400} />
    </Suspense>
  )
}

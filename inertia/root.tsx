import { useEffect, type ReactNode } from 'react'
import { MantineProvider } from '@mantine/core'
import { cssVariablesResolver, theme } from '~/theme'
import { ToastHost } from '@ui/toast_host'
import type { ColorScheme } from '~/types'

/** What stands around every page, the same on the server and in the browser. */
export function Root({
  children,
  colorScheme,
}: {
  children: ReactNode
  colorScheme?: ColorScheme
}) {
  useEffect(() => {
    document.documentElement.dataset.hydrated = 'true'
  }, [])

  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme={colorScheme ?? 'auto'}
    >
      {children}
      <ToastHost />
    </MantineProvider>
  )
}

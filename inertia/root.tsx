import type { ReactNode } from 'react'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { cssVariablesResolver, theme } from '~/theme'
import { ToastHost } from '@ui/toast_host'
import type { ColorScheme } from '~/types'

const colorSchemeManager = localStorageColorSchemeManager({ key: 'berth-color-scheme' })

/** What stands around every page, the same on the server and in the browser. */
export function Root({
  children,
  colorScheme,
}: {
  children: ReactNode
  colorScheme?: ColorScheme
}) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme={colorScheme ?? 'auto'}
    >
      {children}
      <ToastHost />
    </MantineProvider>
  )
}

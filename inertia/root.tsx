import { useEffect, type ReactNode } from 'react'
import { MantineProvider } from '@mantine/core'
import { cssVariablesResolver, theme } from '~/theme'
import { ToastHost } from '@ui/toast_host'
import type { ColorScheme } from '~/types'

/** Identical on the server and in the browser. */
export function Root({
  children,
  colorScheme,
  onHydrated,
}: {
  children: ReactNode
  colorScheme?: ColorScheme
  /** Runs after hydration. Resolves when early input has been replayed. */
  onHydrated?: () => Promise<void>
}) {
  useEffect(() => {
    void Promise.resolve(onHydrated?.()).then(() => {
      document.documentElement.dataset.hydrated = 'true'
    })
  }, [onHydrated])

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

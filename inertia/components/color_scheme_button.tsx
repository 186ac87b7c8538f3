import { useMantineColorScheme } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import IconDeviceDesktop from '@tabler/icons-react/dist/esm/icons/IconDeviceDesktop.mjs'
import IconMoon from '@tabler/icons-react/dist/esm/icons/IconMoon.mjs'
import IconSun from '@tabler/icons-react/dist/esm/icons/IconSun.mjs'
import styles from './color_scheme_button.module.css'

const nextScheme = { auto: 'light', light: 'dark', dark: 'auto' } as const
const schemeLabels = { auto: 'system', light: 'light', dark: 'dark' }
const icons = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon }

/**
 * This choice of the color scheme is stored only in the browser. The server cannot know it, so the button shows it only
 * after mounting.
 */
export function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const mounted = useMounted()
  const shown = mounted ? colorScheme : 'auto'
  const Icon = icons[shown]
  const label = `Theme: ${schemeLabels[shown]}. Change to ${schemeLabels[nextScheme[shown]]}`

  return (
    <button
      type="button"
      className={styles.button}
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(nextScheme[shown])}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
    </button>
  )
}

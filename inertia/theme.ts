import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import { darkPalette, lightPalette, type Palette } from '@ui/palette'

const teal: MantineColorsTuple = [
  '#e9f5f4', '#d2eae8', '#a5d5d2', '#76bfba', '#4aa8a3',
  '#28908b', '#12807c', '#0a6664', '#085251', '#063f3f',
] // prettier-ignore

const amber: MantineColorsTuple = [
  '#fff8e8', '#fdf1d8', '#fadd9a', '#f2c266', '#e9ae3d',
  '#d3940f', '#b97708', '#925c07', '#7a4a06', '#5a3705',
] // prettier-ignore

const red: MantineColorsTuple = [
  '#fdf1ef', '#fcebe8', '#f7c3bb', '#f59c8f', '#ea7866',
  '#da5543', '#c63d2c', '#b12e20', '#a32a1d', '#7b1f15',
] // prettier-ignore

const green: MantineColorsTuple = [
  '#f0f9f4', '#e3f3ea', '#bfe3cf', '#7fd3a4', '#56bd86',
  '#3aa26d', '#2b8a5b', '#24754d', '#1f6442', '#174d33',
] // prettier-ignore

const gray: MantineColorsTuple = [
  '#f7f9fa', '#f3f6f8', '#e8eef1', '#dbe3e8', '#c6d1d9',
  '#a3b2be', '#7d8d9b', '#4c6072', '#2c4153', '#122333',
] // prettier-ignore

const night: MantineColorsTuple = [
  '#e3ebf1', '#c6d3de', '#9fb2c3', '#60748a', '#213244',
  '#1b2a3a', '#152434', '#0f1b27', '#0c1620', '#0a131c',
] // prettier-ignore

/** Deep teal is the accent colour, amber is for warnings, red for losses. */
export const theme = createTheme({
  colors: { teal, amber, yellow: amber, red, green, gray, dark: night },
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 6 },
  black: lightPalette.text,
  white: '#ffffff',
  fontFamily: "'Inter Variable', 'Noto Sans Bengali Variable', system-ui, sans-serif",
  fontFamilyMonospace:
    "'JetBrains Mono Variable', 'Noto Sans Bengali Variable', ui-monospace, 'SFMono-Regular', monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.35' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '14px' },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '1.25' },
      h2: { fontSize: '17px', lineHeight: '1.35' },
      h3: { fontSize: '15px', lineHeight: '1.4' },
      h4: { fontSize: '14px', lineHeight: '1.45' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
    NativeSelect: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: {
        radius: 'md',
        centered: true,
        xOffset: 12,
        transitionProps: { duration: 140, transition: 'fade' },
      },
    },
    Drawer: { defaultProps: { transitionProps: { duration: 160 } } },
    Menu: {
      defaultProps: {
        // Our menus contain only items, so no placeholder is needed.
        withInitialFocusPlaceholder: false,
        radius: 'md',
        shadow: 'md',
        transitionProps: { duration: 120, transition: 'fade' },
      },
    },
    Tooltip: { defaultProps: { openDelay: 200, withArrow: true, multiline: true, maw: 320 } },
  },
})

function cssTokens(scheme: Palette) {
  return Object.fromEntries(
    Object.entries(scheme).map(([name, value]) => [
      `--b-${name.replace(/[A-Z]/g, (character) => `-${character.toLowerCase()}`)}`,
      String(value),
    ])
  )
}

function schemeVariables(colours: Palette) {
  return {
    ...cssTokens(colours),
    '--mantine-color-body': colours.sheet,
    '--mantine-color-text': colours.text,
    '--mantine-color-dimmed': colours.dim,
    '--mantine-color-placeholder': colours.dim,
    '--mantine-color-anchor': colours.accent,
    '--mantine-color-error': colours.loss,
    '--mantine-color-default': colours.raised,
    '--mantine-color-default-hover': colours.hover,
    '--mantine-color-default-border': colours.edge,
    '--mantine-color-teal-filled': colours.accentFill,
    '--mantine-color-teal-filled-hover': colours.accentFillHover,
    '--mantine-color-red-filled': colours.lossFill,
    // The text colour of red menu items.
    '--mantine-color-red-6': colours.loss,
    '--mantine-color-teal-light-color': colours.accent,
    '--mantine-color-red-light-color': colours.loss,
    '--mantine-color-red-outline': colours.loss,
    '--mantine-color-teal-outline': colours.accent,
  }
}

/** Defines the palette's CSS variables `--b-*`, and sets Mantine's own variables. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: schemeVariables(lightPalette),
  dark: schemeVariables(darkPalette),
})

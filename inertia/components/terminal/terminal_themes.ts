import type { ITheme } from '@xterm/xterm'

type Scheme = 'light' | 'dark'

export const terminalThemes: Record<Scheme, ITheme> = {
  light: {
    background: '#f7f9fa',
    foreground: '#122333',
    cursor: '#0a6664',
    cursorAccent: '#f7f9fa',
    selectionBackground: '#b7dbd9',
    // Colour of the current search match, which is shown while the search box has the focus.
    selectionInactiveBackground: '#e9ae3d',
    black: '#122333',
    red: '#a32a1d',
    green: '#1f6442',
    yellow: '#7a4a06',
    blue: '#1f5a94',
    magenta: '#7b3a86',
    cyan: '#08605f',
    white: '#4c6072',
    brightBlack: '#5a6d7d',
    brightRed: '#c63d2c',
    brightGreen: '#24754d',
    brightYellow: '#925c07',
    brightBlue: '#2b6cb0',
    brightMagenta: '#944a9f',
    brightCyan: '#0a6664',
    brightWhite: '#2c4153',
  },
  dark: {
    background: '#0a131c',
    foreground: '#e3ebf1',
    cursor: '#62c8c1',
    cursorAccent: '#0a131c',
    selectionBackground: '#1d5560',
    selectionInactiveBackground: '#925c07',
    black: '#213244',
    red: '#f59c8f',
    green: '#7fd3a4',
    yellow: '#f2c266',
    blue: '#82b6ee',
    magenta: '#d6a3e0',
    cyan: '#62c8c1',
    white: '#c6d3de',
    brightBlack: '#7f93a6',
    brightRed: '#f7b5ab',
    brightGreen: '#a4e2bf',
    brightYellow: '#fadd9a',
    brightBlue: '#a9cdf5',
    brightMagenta: '#e6c3ec',
    brightCyan: '#8fdcd6',
    brightWhite: '#ffffff',
  },
}

/** Colours as `#rrggbb`, which the search addon needs. */
export const searchHighlights: Record<Scheme, { match: string; active: string }> = {
  light: { match: '#fadd9a', active: '#e9ae3d' },
  dark: { match: '#5a3705', active: '#925c07' },
}

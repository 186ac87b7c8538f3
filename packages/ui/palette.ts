/**
 * The colours of a colour scheme (light or dark). `inertia/theme.ts` publishes them as `--b-*` variables. A test checks
 * the contrast of each pair below (WCAG AA).
 */
export interface Palette {
  /** Background of the header and sidebar. */
  frame: string
  sheet: string
  /** Background of menus, dialogs and inputs, which look raised above the page. */
  raised: string
  /** Background of table headers, code and subtle fills. */
  sunken: string
  hover: string
  selected: string
  line: string
  /** Borders of inputs and buttons. Their contrast to `sheet` is at least 3:1. */
  edge: string
  text: string
  dim: string
  accent: string
  onAccent: string
  accentFill: string
  accentFillHover: string
  accentTint: string
  good: string
  goodTint: string
  goodDot: string
  wait: string
  waitTint: string
  waitDot: string
  loss: string
  lossTint: string
  lossDot: string
  lossFill: string
  onLoss: string
  calm: string
  calmTint: string
  calmDot: string
}

export const lightPalette: Palette = {
  frame: '#e8eef1',
  sheet: '#ffffff',
  raised: '#ffffff',
  sunken: '#f3f6f8',
  hover: '#f1f6f7',
  selected: '#ddeeed',
  line: '#dbe3e8',
  edge: '#7d8d9b',
  text: '#122333',
  dim: '#4c6072',
  accent: '#08605f',
  onAccent: '#ffffff',
  accentFill: '#0a6664',
  accentFillHover: '#085251',
  accentTint: '#e1f1f0',
  good: '#1f6442',
  goodTint: '#e3f3ea',
  goodDot: '#2b8a5b',
  wait: '#7a4a06',
  waitTint: '#fdf1d8',
  waitDot: '#b97708',
  loss: '#a32a1d',
  lossTint: '#fcebe8',
  lossDot: '#c63d2c',
  lossFill: '#b12e20',
  onLoss: '#ffffff',
  calm: '#3e5263',
  calmTint: '#e9eff3',
  calmDot: '#64788a',
}

export const darkPalette: Palette = {
  frame: '#0a131c',
  sheet: '#0f1b27',
  raised: '#152434',
  sunken: '#132130',
  hover: '#152535',
  selected: '#12353c',
  line: '#213244',
  edge: '#60748a',
  text: '#e3ebf1',
  dim: '#9fb2c3',
  accent: '#62c8c1',
  onAccent: '#ffffff',
  accentFill: '#12807c',
  accentFillHover: '#0f716e',
  accentTint: '#11343a',
  good: '#7fd3a4',
  goodTint: '#123225',
  goodDot: '#46b67c',
  wait: '#f2c266',
  waitTint: '#35280f',
  waitDot: '#e2a334',
  loss: '#f59c8f',
  lossTint: '#3a1c1a',
  lossDot: '#e5644f',
  lossFill: '#b93a2b',
  onLoss: '#ffffff',
  calm: '#b4c4d2',
  calmTint: '#1c2c3c',
  calmDot: '#8599ab',
}

type Pair = [text: keyof Palette, on: keyof Palette]

/** Text colours and their backgrounds, whose contrast must be at least 4.5:1. */
export const textContrastPairs: Pair[] = [
  ...(['frame', 'sheet', 'raised', 'sunken', 'hover', 'selected'] as const).flatMap(
    (on): Pair[] => [
      ['text', on],
      ['dim', on],
      ['accent', on],
    ]
  ),
  ...(['sheet', 'raised', 'hover', 'sunken'] as const).flatMap((on): Pair[] => [
    ['loss', on],
    ['good', on],
    ['wait', on],
  ]),
  ['onAccent', 'accentFill'],
  ['onAccent', 'accentFillHover'],
  ['onLoss', 'lossFill'],
  ['accent', 'accentTint'],
  ['text', 'accentTint'],
  ['good', 'goodTint'],
  ['wait', 'waitTint'],
  ['text', 'waitTint'],
  ['loss', 'lossTint'],
  ['text', 'lossTint'],
  ['calm', 'calmTint'],
]

/** Colours of shapes with a meaning and their backgrounds, whose contrast must be at least 3:1. */
export const shapeContrastPairs: Pair[] = [
  ['edge', 'sheet'],
  ['edge', 'raised'],
  ['accentFill', 'sheet'],
  ['goodDot', 'goodTint'],
  ['waitDot', 'waitTint'],
  ['lossDot', 'lossTint'],
  ['calmDot', 'calmTint'],
]

function luminance(hex: string) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Returns the WCAG contrast of two `#rrggbb` colours, from 1 to 21. */
export function contrastRatio(one: string, other: string) {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

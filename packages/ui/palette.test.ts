// @vitest-environment node
import { describe, expect, it } from 'vitest'
import {
  contrastRatio,
  darkPalette,
  lightPalette,
  shapeContrastPairs,
  textContrastPairs,
} from './palette.js'

describe.each([
  ['light', lightPalette],
  ['dark', darkPalette],
])('%s scheme', (_name, scheme) => {
  it.each(textContrastPairs)(
    'text colour %s on %s has a contrast of at least 4.5:1',
    (text, on) => {
      expect(contrastRatio(scheme[text], scheme[on])).toBeGreaterThanOrEqual(4.5)
    }
  )

  it.each(shapeContrastPairs)(
    'shape colour %s on %s has a contrast of at least 3:1',
    (shape, on) => {
      expect(contrastRatio(scheme[shape], scheme[on])).toBeGreaterThanOrEqual(3)
    }
  )
})

it('computes a contrast of 21 for black and white', () => {
  expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

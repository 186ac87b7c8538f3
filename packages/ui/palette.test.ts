// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { contrast, dark, light, shapeContrastPairs, textContrastPairs } from './palette.js'

describe.each([
  ['light', light],
  ['dark', dark],
])('%s scheme', (_name, scheme) => {
  it.each(textContrastPairs)('%s on %s reads well (4.5:1)', (text, on) => {
    expect(contrast(scheme[text], scheme[on])).toBeGreaterThanOrEqual(4.5)
  })

  it.each(shapeContrastPairs)('%s stands out from %s (3:1)', (shape, on) => {
    expect(contrast(scheme[shape], scheme[on])).toBeGreaterThanOrEqual(3)
  })
})

it('computes a contrast of 21 for black and white', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

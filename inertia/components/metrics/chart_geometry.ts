/** Charts are drawn on a square of this size, which the page stretches to its place. */
export const CHART_VIEWBOX_SIZE = 1000

export interface ChartAxis {
  /** what the upper edge stands for */
  top: number
  count: number
}

/** Left edge 0 to right edge 1. */
export function xFraction(index: number, { count }: Pick<ChartAxis, 'count'>) {
  return count > 1 ? index / (count - 1) : 0.5
}

/** Bottom 0 to top 1; what is above the axis stays on its edge. */
export function yFraction(value: number, { top }: Pick<ChartAxis, 'top'>) {
  return Math.min(1, Math.max(0, value / top))
}

/** The path of a line. Where nothing was measured it is interrupted; a lonely point gets a dash. */
export function linePath(values: (number | null)[], axis: ChartAxis) {
  const parts: string[] = []
  let drawing = false
  for (const [index, value] of values.entries()) {
    if (value === null) {
      drawing = false
      continue
    }
    const x = Number((xFraction(index, axis) * CHART_VIEWBOX_SIZE).toFixed(1))
    const y = Number(((1 - yFraction(value, axis)) * CHART_VIEWBOX_SIZE).toFixed(1))
    const alone = !drawing && (values[index + 1] ?? null) === null
    parts.push(drawing ? `L${x} ${y}` : `M${x} ${y}`)
    if (alone) parts.push(`h${Number((CHART_VIEWBOX_SIZE / axis.count / 2).toFixed(1))}`)
    drawing = true
  }
  return parts.join('')
}

/** The point that a pointer at `share` (0 left to 1 right) means. */
export function nearestIndex(share: number, count: number) {
  return Math.min(count - 1, Math.max(0, Math.round(share * (count - 1))))
}

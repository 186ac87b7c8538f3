/**
 * Width and height of the charts' coordinate system. The number is arbitrary, because the page stretches the charts.
 */
export const CHART_VIEWBOX_SIZE = 1000

export interface ChartAxis {
  /** Value at the upper edge of the chart. */
  top: number
  count: number
}

/** Returns a point's position from 0 (left edge) to 1 (right edge). */
export function xFraction(index: number, { count }: Pick<ChartAxis, 'count'>) {
  return count > 1 ? index / (count - 1) : 0.5
}

/** Returns a value's position from 0 (bottom) to 1 (top). */
export function yFraction(value: number, { top }: Pick<ChartAxis, 'top'>) {
  return Math.min(1, Math.max(0, value / top))
}

/** Returns the SVG path of a line. It is interrupted at missing values. A point without neighbours becomes a dash. */
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
    const dash = Number((CHART_VIEWBOX_SIZE / axis.count / 2).toFixed(1))
    // The dash of the last point is drawn to the left, because on the right it would leave the chart.
    if (alone) parts.push(`h${x + dash > CHART_VIEWBOX_SIZE ? -dash : dash}`)
    drawing = true
  }
  return parts.join('')
}

/** @param share position from 0 (left) to 1 (right) */
export function nearestIndex(share: number, count: number) {
  return Math.min(count - 1, Math.max(0, Math.round(share * (count - 1))))
}

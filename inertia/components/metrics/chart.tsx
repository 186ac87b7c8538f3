import { type KeyboardEvent, type PointerEvent } from 'react'
import { useRegion } from '@ui/region'
import { xFraction, nearestIndex, linePath, CHART_VIEWBOX_SIZE, yFraction } from './chart_geometry'
import { highestValue, latestValue, timeRanges, type MetricsHistory } from './metrics_history'
import { timeTicks } from './time_axis'
import styles from './chart.module.css'

export interface ChartLine {
  label: string
  values: (number | null)[]
}

interface ChartProps {
  title: string
  /** Text about the maximum of the values, such as "of 1 vCPU". */
  of?: string
  lines: ChartLine[]
  top: number
  format: (value: number) => string
  history: MetricsHistory
  /** Index of the point under the crosshair. All charts of the page show the crosshair at the same point. */
  at: number | null
  onAt: (index: number | null) => void
  wide?: boolean
}

const GRID_LINE_POSITIONS = [1, 0.5, 0]

/**
 * Returns the position of a label, at most so far right that the longest label ("12:00 AM") ends at the edge. Beyond
 * the edge it would make the page scroll sideways.
 */
const withinPlot = (share: number) => `min(${share * 100}%, 100% - 4.5ch)`

/** The pointer, the left and right arrow keys, Home and End move the crosshair. Escape removes it. */
export function Chart(props: ChartProps) {
  const { title, of, lines, top, format, history, at, onAt, wide } = props
  const { count } = history
  const { timeZone: zone } = useRegion()
  const axis = { top, count }
  const shown = (values: (number | null)[]) => (at === null ? latestValue(values) : values[at])
  const label = timeRanges.find(({ key }) => key === history.range)!.words
  const summary = lines
    .map(({ label, values }) => {
      const maximum = highestValue(values)
      return maximum === null ? `${label} not measured` : `${label} maximum ${format(maximum)}`
    })
    .join(', ')

  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const bounds = event.currentTarget.getBoundingClientRect()
    onAt(nearestIndex((event.clientX - bounds.left) / bounds.width, count))
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const index = at ?? count - 1
    const to = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      Home: 0,
      End: count - 1,
    }[event.key]
    if (event.key === 'Escape') onAt(null)
    if (to === undefined) return
    event.preventDefault()
    onAt(Math.min(count - 1, Math.max(0, to)))
  }

  return (
    <figure className={styles.chart} data-wide={wide || undefined}>
      <figcaption className={styles.caption}>
        <h3>{title}</h3>
        <ul className={styles.values} aria-live="off">
          {lines.map(({ label, values }, index) => {
            const value = shown(values)
            return (
              <li key={label} data-line={index}>
                {lines.length > 1 && <span className={styles.name}>{label}</span>}
                <strong data-none={value === null || undefined}>
                  {value === null ? '–' : format(value)}
                </strong>
                {index === 0 && of && <span className={styles.of}>{of}</span>}
              </li>
            )
          })}
        </ul>
      </figcaption>
      <div className={styles.body}>
        <div className={styles.scale} aria-hidden>
          {GRID_LINE_POSITIONS.map((share) => (
            <span key={share} style={{ top: `${(1 - share) * 100}%` }}>
              {format(top * share)}
            </span>
          ))}
        </div>
        <div
          className={styles.plot}
          role="img"
          tabIndex={0}
          aria-label={`${title}, ${label}: ${summary}`}
          onPointerMove={follow}
          onPointerDown={follow}
          onPointerLeave={() => onAt(null)}
          onBlur={() => onAt(null)}
          onKeyDown={onKeyDown}
        >
          <svg
            viewBox={`0 0 ${CHART_VIEWBOX_SIZE} ${CHART_VIEWBOX_SIZE}`}
            preserveAspectRatio="none"
            aria-hidden
          >
            {GRID_LINE_POSITIONS.map((share) => (
              <line
                key={share}
                x1={0}
                x2={CHART_VIEWBOX_SIZE}
                y1={(1 - share) * CHART_VIEWBOX_SIZE}
                y2={(1 - share) * CHART_VIEWBOX_SIZE}
                className={styles.grid}
              />
            ))}
            {lines.map(({ label, values }, index) => (
              <path
                key={label}
                d={linePath(values, axis)}
                data-line={index}
                className={styles.line}
              />
            ))}
          </svg>
          {at !== null && (
            <span className={styles.crosshair} style={{ left: `${xFraction(at, axis) * 100}%` }}>
              {lines.map(({ label, values }, index) => {
                const value = values[at]
                if (value === null || value === undefined) return null
                return (
                  <span
                    key={label}
                    data-line={index}
                    className={styles.dot}
                    style={{ bottom: `${yFraction(value, axis) * 100}%` }}
                  />
                )
              })}
            </span>
          )}
        </div>
        <div className={styles.times} aria-hidden>
          {timeTicks(history, zone).map(({ index, label }) => (
            <span key={index} style={{ left: withinPlot(xFraction(index, axis)) }}>
              {label}
            </span>
          ))}
        </div>
      </div>
    </figure>
  )
}

import { bytes } from '~/components/metrics/units'
import type { HostCapacity } from './types'
import styles from './capacity.module.css'

interface Bar {
  label: string
  total: number
  promised: number
  limit: number
  /** null is not known; nothing at all where it is not measured in this unit */
  used?: number | null
  format: (value: number) => string
}

const processors = (value: number) => `${Number(value.toFixed(1))} vCPU`

/** Capacity as bars: what is promised of what may be promised, and what is in use. */
export function capacityBars({ cpu, memory, disk }: HostCapacity): Bar[] {
  return [
    { label: 'CPU', ...cpu, format: processors },
    { label: 'Memory', ...memory, format: bytes },
    { label: 'Disk', ...disk, format: bytes },
  ]
}

const share = (part: number, whole: number) => (whole > 0 ? Math.min(1, part / whole) : 0)

/** How full a host is. Short on cards, with numbers in the detail. */
export function Capacity({ capacity, short }: { capacity: HostCapacity; short?: boolean }) {
  return (
    <ul className={styles.bars} data-short={short || undefined} aria-label="Capacity">
      {capacityBars(capacity).map(({ label, total, promised, limit, used, format }) => (
        <li key={label}>
          <span className={styles.label}>{label}</span>
          <span className={styles.numbers}>
            {limit > 0 ? (
              <>
                <strong>{format(promised)}</strong> of {format(limit)} promised
              </>
            ) : (
              'Not known yet'
            )}
          </span>
          <span
            className={styles.track}
            role="meter"
            aria-label={`${label} promised`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(share(promised, limit) * 100)}
            aria-valuetext={`${format(promised)} of ${format(limit)}`}
          >
            <span
              className={styles.promised}
              data-full={share(promised, limit) >= 0.9 || undefined}
              style={{ width: `${share(promised, limit) * 100}%` }}
            />
          </span>
          {!short && used !== undefined && (
            <span className={styles.used}>
              {used === null
                ? 'What is in use is not known'
                : `${format(used)} of ${format(total)} in use`}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

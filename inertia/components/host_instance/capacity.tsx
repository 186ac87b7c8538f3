import { bytes } from '~/components/metrics/units'
import type { HostCapacity } from './types'
import styles from './capacity.module.css'

interface Bar {
  label: string
  total: number
  allocated: number
  limit: number
  /** null is not known; nothing at all where it is not measured in this unit */
  used?: number | null
  format: (value: number) => string
}

const processors = (value: number) => `${Number(value.toFixed(1))} vCPU`

/** Capacity as bars: what is allocated of what may be allocated, and what is in use. */
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
      {capacityBars(capacity).map(({ label, total, allocated, limit, used, format }) => (
        <li key={label}>
          <span className={styles.label}>{label}</span>
          <span className={styles.numbers}>
            {limit > 0 ? (
              <>
                <strong>{format(allocated)}</strong> of {format(limit)} allocated
              </>
            ) : (
              'Not available yet'
            )}
          </span>
          <span
            className={styles.track}
            role="meter"
            aria-label={`${label} allocated`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(share(allocated, limit) * 100)}
            aria-valuetext={`${format(allocated)} of ${format(limit)}`}
          >
            <span
              className={styles.allocated}
              data-full={share(allocated, limit) >= 0.9 || undefined}
              style={{ width: `${share(allocated, limit) * 100}%` }}
            />
          </span>
          {!short && used !== undefined && (
            <span className={styles.used}>
              {used === null ? 'Usage not available' : `${format(used)} of ${format(total)} in use`}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

import { formatBytes } from '~/components/metrics/format_units'
import type { HostCapacityView } from './types'
import styles from './capacity.module.css'

interface CapacityBar {
  label: string
  total: number
  allocated: number
  limit: number
  /** Current use. Null if unknown, undefined if the use of this resource is not measured. */
  used?: number | null
  format: (value: number) => string
}

const formatVcpus = (value: number) => `${Number(value.toFixed(1))} vCPU`

export function capacityBars({ cpu, memory, disk }: HostCapacityView): CapacityBar[] {
  return [
    { label: 'CPU', ...cpu, format: formatVcpus },
    { label: 'Memory', ...memory, format: formatBytes },
    { label: 'Disk', ...disk, format: formatBytes },
  ]
}

const fractionOf = (part: number, whole: number) => (whole > 0 ? Math.min(1, part / whole) : 0)

/** `short` omits the current use, for cards. */
export function Capacity({ capacity, short }: { capacity: HostCapacityView; short?: boolean }) {
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
            aria-valuenow={Math.round(fractionOf(allocated, limit) * 100)}
            aria-valuetext={`${format(allocated)} of ${format(limit)}`}
          >
            <span
              className={styles.allocated}
              data-full={fractionOf(allocated, limit) >= 0.9 || undefined}
              style={{ width: `${fractionOf(allocated, limit) * 100}%` }}
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

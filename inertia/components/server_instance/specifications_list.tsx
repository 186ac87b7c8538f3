import type { Specifications } from './types'
import styles from './specifications_list.module.css'

interface SpecificationsListProps {
  specifications: Partial<Specifications>
}

/** `text` contains value and label together, for example `2 vCPU`, `4 GB RAM`, `80 GB SSD` or `2 TB bandwidth`. */
export function specificationItems({ vcpu, ram, storage, bandwidth }: Partial<Specifications>) {
  return [
    vcpu && { label: 'vCPU', value: String(vcpu.value), text: `${vcpu.value} vCPU` },
    ram && {
      label: 'RAM',
      value: `${ram.value} ${ram.unit}`,
      text: `${ram.value} ${ram.unit} RAM`,
    },
    storage && {
      label: storage.type || 'Storage',
      value: `${storage.value} ${storage.unit}`,
      text: `${storage.value} ${storage.unit} ${storage.type}`.trim(),
    },
    bandwidth && {
      label: 'Bandwidth',
      value: `${bandwidth.value} ${bandwidth.unit}`,
      text: `${bandwidth.value} ${bandwidth.unit} bandwidth`,
    },
  ].filter((part) => part !== undefined)
}

export function SpecificationsList({ specifications }: SpecificationsListProps) {
  const parts = specificationItems(specifications)
  if (!parts.length) return <p className={styles.unknown}>Specifications not available yet.</p>
  return (
    <dl className={styles.list}>
      {parts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

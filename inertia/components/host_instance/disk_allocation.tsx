import { DescriptionList } from '~/components/description_list'
import { formatBytes, formatPercent } from '~/components/metrics/format_units'
import type { HostView } from './types'
import styles from './disk_allocation.module.css'

export function DiskAllocation({ host }: { host: HostView }) {
  const { disk, instances } = host.capacity
  const { total, allocated, limit, used, overcommit, is_full: isFull } = disk
  if (total === 0) return null
  const free = used === null ? null : total - used
  return (
    <>
      <DescriptionList
        label="Disk"
        rows={[
          {
            label: 'Allocated to packages',
            value: `${formatBytes(allocated - host.image_reserve)} for ${instances} ${
              instances === 1 ? 'server instance' : 'server instances'
            }`,
          },
          { label: 'Reserve for the base image', value: formatBytes(host.image_reserve) },
          { label: 'Allocated', value: formatBytes(allocated) },
          {
            label: 'Allocation limit',
            value: `${formatBytes(limit)} = 90 % of ${formatBytes(total)}${
              overcommit > 1 ? `, times the disk overcommit ${overcommit}` : ''
            }`,
          },
          { label: 'In use', value: used === null ? 'Not available' : formatBytes(used) },
          {
            label: 'Free',
            value:
              free === null
                ? 'Not available'
                : `${formatBytes(free)} (${formatPercent((free / total) * 100)})`,
          },
        ]}
      />
      <p className={styles.hint}>
        The disk limit of an instance also counts its base image. Instances share the image’s blocks
        until they change them, so less is in use than allocated.
        {overcommit > 1 &&
          ' The disk is overcommitted: it can fill up before instances reach their disk limits. Watch the free space.'}
      </p>
      {isFull && (
        <p className={styles.warning} role="alert">
          Less than 10 % of the disk is free. This host gets no new instances until more is free.
        </p>
      )}
      {host.package_capacity.length > 0 && (
        <dl className={styles.room} aria-label="Room for more instances">
          {host.package_capacity.map(({ name, more }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>room for {more} more</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

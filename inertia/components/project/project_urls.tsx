import { CopyButton } from '@ui/copy_button'
import { StatusBadge } from '@ui/status_badge'
import type { ProjectRow } from './types'
import styles from './project.module.css'

interface ProjectUrlsProps extends Pick<ProjectRow, 'addresses'> {
  /** Whether to omit the scheme of the URLs, and the status if an address works. */
  short?: boolean
}

export function ProjectUrls({ addresses, short }: ProjectUrlsProps) {
  if (!addresses.length) return <span className={styles.calm}>None</span>
  return addresses.map(({ url, status }) => (
    <span key={url} className={styles.address}>
      <a href={url} target="_blank" rel="noreferrer" className="mono" title={url}>
        {short ? url.replace(/^https?:\/\//, '') : url}
      </a>
      <CopyButton value={url} copied="Copied" what="address" />
      {status && !(short && status === 'active') && <StatusBadge status={status} />}
    </span>
  ))
}

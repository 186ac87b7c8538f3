import { CopyButton } from '@ui/copy_button'
import { StatusBadge } from '@ui/status_badge'
import type { ProjectRow } from './types'
import styles from './project.module.css'

/** Where visitors reach a project, to open and to copy; a domain says how far it is. */
export function Addresses({ addresses }: Pick<ProjectRow, 'addresses'>) {
  if (!addresses.length) return <span className={styles.calm}>None</span>
  return addresses.map(({ url, status }) => (
    <span key={url} className={styles.address}>
      <a href={url} target="_blank" rel="noreferrer" className="mono" title={url}>
        {url}
      </a>
      <CopyButton value={url} copied="Copied" what="address" />
      {status && <StatusBadge status={status} />}
    </span>
  ))
}

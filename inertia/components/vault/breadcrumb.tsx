import { Link } from '~/components/link'
import { vaultHref } from './paths_and_links'
import styles from '../file_manager/breadcrumb.module.css'

interface BreadcrumbProps {
  id: number
  name: string
  path: string
}

export function Breadcrumb({ id, name, path }: BreadcrumbProps) {
  const parts = path ? path.split('/') : []
  const steps = [
    { label: name, at: '' },
    ...parts.map((label, index) => ({ label, at: parts.slice(0, index + 1).join('/') })),
  ]
  return (
    <nav aria-label="Folder" className={styles.trail}>
      <ol>
        {steps.map(({ label, at }) => (
          <li key={at}>
            {at === path ? (
              <span aria-current="page">{label}</span>
            ) : (
              <Link href={vaultHref(id, at)} prefetch={false}>
                {label}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

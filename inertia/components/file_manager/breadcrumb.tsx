import { Link } from '~/components/link'
import { type FileArea, folderHref, shownName } from './addresses'
import styles from './breadcrumb.module.css'

interface BreadcrumbProps {
  path: string
  instance: number | null
  area?: FileArea
}

/** The way from the web root to a folder. */
export function Breadcrumb({ path, instance, area }: BreadcrumbProps) {
  const names = path ? path.split('/') : []
  return (
    <nav aria-label="Folder" className={styles.trail}>
      <ol>
        <li>
          {path ? (
            <Link href={folderHref('', instance, area)} prefetch={false}>
              public_html
            </Link>
          ) : (
            <span aria-current="page">public_html</span>
          )}
        </li>
        {names.map((name, index) => {
          const here = names.slice(0, index + 1).join('/')
          return (
            <li key={here}>
              {here === path ? (
                <span aria-current="page">{shownName(name)}</span>
              ) : (
                <Link href={folderHref(here, instance, area)} prefetch={false}>
                  {shownName(name)}
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

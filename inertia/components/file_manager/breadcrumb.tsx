import { Link } from '~/components/link'
import { type FileManagerArea, folderHref, decodeDisplayName } from './paths_and_links'
import styles from './breadcrumb.module.css'

interface BreadcrumbProps {
  path: string
  instance: number | null
  area?: FileManagerArea
}

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
          const folder = names.slice(0, index + 1).join('/')
          return (
            <li key={folder}>
              {folder === path ? (
                <span aria-current="page">{decodeDisplayName(name)}</span>
              ) : (
                <Link href={folderHref(folder, instance, area)} prefetch={false}>
                  {decodeDisplayName(name)}
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

import { Link } from '~/components/link'
import { folderHref } from './addresses'
import styles from './breadcrumb.module.css'

/** The way from the web root to a folder. */
export function Breadcrumb({ path, instance }: { path: string; instance: number | null }) {
  const names = path ? path.split('/') : []
  return (
    <nav aria-label="Folder" className={styles.trail}>
      <ol>
        <li>
          {path ? (
            <Link href={folderHref('', instance)} prefetch={false}>
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
                <span aria-current="page">{name}</span>
              ) : (
                <Link href={folderHref(here, instance)} prefetch={false}>
                  {name}
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

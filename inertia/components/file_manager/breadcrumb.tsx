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
          <Link href={folderHref('', instance)} prefetch={false} aria-current={path ? undefined : 'page'}>
            public_html
          </Link>
        </li>
        {names.map((name, index) => {
          const here = names.slice(0, index + 1).join('/')
          return (
            <li key={here}>
              <Link
                href={folderHref(here, instance)}
                prefetch={false}
                aria-current={here === path ? 'page' : undefined}
              >
                {name}
              </Link>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

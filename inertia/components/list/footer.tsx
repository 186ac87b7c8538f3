import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs'
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs'
import { pageNumbers } from './page_numbers'
import styles from './footer.module.css'

interface FooterProps {
  page: number
  length: number
  count: number
  /** Whether more rows exist than were counted. The footer then shows "1,000+". */
  more?: boolean
  shown: number
  onPage: (page: number) => void
}

export function Footer({ page, length, count, more, shown, onPage }: FooterProps) {
  const pages = Math.max(1, Math.ceil(count / length))
  const from = shown ? (page - 1) * length + 1 : 0
  const to = shown ? from + shown - 1 : 0

  return (
    <div className={styles.footer}>
      <p role="status">{`Showing ${from} to ${to} of ${more ? `${count.toLocaleString('en-US')}+` : count} records`}</p>
      {pages > 1 && (
        <nav aria-label="Pages" className={styles.pages}>
          <button
            type="button"
            aria-label="Previous page"
            disabled={page <= 1}
            onClick={() => onPage(page - 1)}
          >
            <IconChevronLeft size={16} stroke={1.75} aria-hidden />
          </button>
          {pageNumbers(page, pages).map((number, index) =>
            number === null ? (
              <span key={`dots-${index}`} className={styles.dots} aria-hidden>
                …
              </span>
            ) : (
              <button
                key={number}
                type="button"
                aria-label={`Page ${number}`}
                aria-current={number === page ? 'page' : undefined}
                onClick={() => number !== page && onPage(number)}
              >
                {number}
              </button>
            )
          )}
          <button
            type="button"
            aria-label="Next page"
            disabled={page >= pages}
            onClick={() => onPage(page + 1)}
          >
            <IconChevronRight size={16} stroke={1.75} aria-hidden />
          </button>
        </nav>
      )}
    </div>
  )
}

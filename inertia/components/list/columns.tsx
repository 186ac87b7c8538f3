import type { PageHref } from '#core/page_addresses'
import { Link } from '~/components/link'
import { LinkButton } from '~/components/link_button'
import type { Column } from './table'

const ariaLabels = {
  Details: (name: string) => `Details of ${name}`,
  Manage: (name: string) => `Manage ${name}`,
}

interface RowLinkColumnOptions<Row> {
  label: keyof typeof ariaLabels
  /** Null for a row that has no page any more. */
  href: (row: Row) => PageHref | null
  /** What tells the row from others, for those who hear it. */
  nameOf: (row: Row) => string
  /** On a phone nowhere, where the name is the link already. */
  phone?: 'action' | 'hidden'
}

/** The last column: a button that leads to the page of a row. */
export function rowLinkColumn<Row>({
  label,
  href,
  nameOf,
  phone = 'action',
}: RowLinkColumnOptions<Row>): Column<Row> {
  return {
    label: 'Action',
    align: 'right',
    width: '100px',
    phone,
    cell: (row) => {
      const address = href(row)
      if (address === null) return null
      return (
        <LinkButton
          size="xs"
          variant="default"
          href={address}
          data-keep
          aria-label={ariaLabels[label](nameOf(row))}
        >
          {label}
        </LinkButton>
      )
    },
  }
}

/** The name of a row, which leads to its page where it has one. */
export function RowName({ href, name }: { href: PageHref | null; name: string }) {
  return href === null ? (
    <span title={name}>{name}</span>
  ) : (
    <Link href={href} title={name}>
      {name}
    </Link>
  )
}

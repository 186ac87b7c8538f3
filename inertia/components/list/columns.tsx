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
  /** Returns the URL of a row's page. Null if that page no longer exists. */
  href: (row: Row) => PageHref | null
  /** Name of a row, for the button's accessible name. */
  nameOf: (row: Row) => string
  /** Position of the button on phones. Default: `action`. Use `hidden` if the row's name is already the link. */
  phone?: 'action' | 'hidden'
}

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

export function RowName({ href, name }: { href: PageHref | null; name: string }) {
  return href === null ? (
    <span title={name}>{name}</span>
  ) : (
    <Link href={href} title={name}>
      {name}
    </Link>
  )
}

import { usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { ErrorPage } from '~/components/error_page'
import { Link } from '~/components/link'
import type { Props } from '~/types'

/** Also for what belongs to somebody else: the words are the same. */
export default function NotFound() {
  const { area } = usePage<Partial<Props>>().props
  return (
    <ErrorPage
      status={404}
      title="Nothing is moored here"
      actions={
        <Button component={Link} href={area === 'admin' ? '/admin' : '/'}>
          {area === 'admin' ? 'Go to the dashboard' : 'Go to the start'}
        </Button>
      }
    >
      <p>
        There is no page at this address, or it was deleted. Check the address or start from the
        menu.
      </p>
    </ErrorPage>
  )
}

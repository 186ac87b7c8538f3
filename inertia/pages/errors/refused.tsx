import { usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { ErrorPage } from '~/components/error_page'
import { Link } from '~/components/link'
import type { Props } from '~/types'

interface RefusedProps {
  status: number
  /** the reason, and what to do */
  message: string
}

const titles: Record<number, string> = {
  403: 'This is not for you to see',
  409: 'This is not possible now',
  429: 'This was too often',
  503: 'There is no answer at the moment',
}

/** What was asked for exists, and why it is not shown. */
export default function Refused({ status, message }: Partial<Props> & RefusedProps) {
  const page = usePage<Partial<Props>>()
  const home = page.props.area === 'admin' ? '/admin' : '/'
  const again = status !== 403
  return (
    <ErrorPage
      status={status}
      title={titles[status] ?? 'This cannot be shown'}
      actions={
        <>
          {again && (
            <Button component="a" href={page.url}>
              Try again
            </Button>
          )}
          <Button component={Link} href={home} variant={again ? 'default' : 'filled'}>
            Go to the dashboard
          </Button>
        </>
      }
    >
      <p>{message}</p>
    </ErrorPage>
  )
}

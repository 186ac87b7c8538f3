import { Head, usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { Link } from '~/components/link'
import type { Props } from '~/types'
import { EmptyState } from '@ui/empty_state'
import { PageHeader } from '@ui/page_header'

/** Where a menu entry leads whose screen is not built yet. */
export default function Soon({ title }: Props<{ title: string }>) {
  const { area } = usePage<Props>().props
  return (
    <>
      <Head title={title} />
      <PageHeader title={title} />
      <EmptyState
        title="This screen is not here yet"
        hint={`${title} comes with a later version of Berth. Nothing is wrong, and nothing of yours is missing.`}
        action={
          <Button component={Link} href={area === 'admin' ? '/admin' : '/'} variant="default">
            Back to the dashboard
          </Button>
        }
      />
    </>
  )
}

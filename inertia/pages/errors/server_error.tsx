import { usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { ErrorPage } from '~/components/error_page'
import type { Props } from '~/types'
import { CopyButton } from '@ui/copy_button'

interface ServerErrorProps {
  /** also in the log */
  id?: string
  status?: number
}

export default function ServerError({ id, status = 500 }: Partial<Props> & ServerErrorProps) {
  const { url } = usePage()
  return (
    <ErrorPage
      status={status}
      title="Something broke on our side"
      actions={
        <Button component="a" href={url}>
          Try again
        </Button>
      }
    >
      <p>This page could not be made. What you saved before is kept. Try again in a moment.</p>
      {id && (
        <p>
          If it happens again, tell support this id: <code>{id}</code>{' '}
          <CopyButton value={id} copied="Copied" what="error id" />
        </p>
      )}
    </ErrorPage>
  )
}

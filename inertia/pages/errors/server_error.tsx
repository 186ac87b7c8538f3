import { usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { ErrorPage } from '~/components/error_page'
import type { Props } from '~/types'

interface ServerErrorProps {
  /** with the number that is also in the log */
  message?: string
  status?: number
}

export default function ServerError({ message, status = 500 }: Partial<Props> & ServerErrorProps) {
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
      <p>
        {message ??
          'This page could not be made. What you saved before is kept. Try again in a moment.'}
      </p>
    </ErrorPage>
  )
}

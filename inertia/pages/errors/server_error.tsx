import { Button } from '@mantine/core'
import { ErrorPage } from '~/components/error_page'
import { HomeButton } from '~/components/home_button'
import type { WithSharedProps } from '~/types'

interface ServerErrorProps {
  /** Message with the error ID of the log. */
  message: string
  status: number
  /** URL at which the person can try again. */
  again: string
}

export default function ServerError({
  message,
  status,
  again,
}: Partial<WithSharedProps> & ServerErrorProps) {
  return (
    <ErrorPage
      status={status}
      title="Server error"
      actions={
        <>
          <Button component="a" href={again}>
            Try again
          </Button>
          <HomeButton variant="default" />
        </>
      }
    >
      <p>{message}</p>
    </ErrorPage>
  )
}

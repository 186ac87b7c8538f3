import { Button } from '@mantine/core'
import { ErrorPage } from '~/components/error_page'
import { HomeButton } from '~/components/home_button'
import type { WithSharedProps } from '~/types'

interface RefusedProps {
  status: number
  /** Reason for the rejection, and what to do. */
  message: string
  /** URL at which the person can try again. */
  again: string
}

const titles: Record<number, string> = {
  403: 'You do not have access to this page',
  409: 'This is not possible right now',
  413: 'The text or file is too large to send',
  419: 'This page is out of date',
  429: 'Too many requests',
  503: 'The service does not respond',
}

const verbs: Record<number, string> = { 419: 'Reload page', 413: 'Go back' }

/** Page for a request that the server understood but rejected. */
export default function Refused({
  status,
  message,
  again,
}: Partial<WithSharedProps> & RefusedProps) {
  const helps = status !== 403
  return (
    <ErrorPage
      status={status}
      title={titles[status] ?? 'This page cannot be shown'}
      actions={
        <>
          {helps && (
            <Button component="a" href={again}>
              {verbs[status] ?? 'Try again'}
            </Button>
          )}
          <HomeButton variant={helps ? 'default' : undefined} />
        </>
      }
    >
      <p>{message}</p>
    </ErrorPage>
  )
}

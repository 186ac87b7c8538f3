import { Head } from '@inertiajs/react'
import { Button, Text } from '@mantine/core'
import { PageHeader } from '@ui/page_header'
import type { VerifyPage } from '~/components/mail/types'
import { post } from '~/visit'

/** Where the link of a new address leads. Opening it does nothing; its button verifies. */
export default function Verify({ asked }: VerifyPage) {
  if (!asked) {
    return (
      <>
        <Head title="Confirm address" />
        <PageHeader title="This link does not work any more" />
        <Text maw={560}>
          It has been used, or is older than 24 hours. Another one can be asked for where the
          address was added.
        </Text>
      </>
    )
  }
  const { email, account, token } = asked
  return (
    <>
      <Head title="Confirm address" />
      <PageHeader title={`Send mail from ${email}?`} />
      <Text maw={560}>
        The account “{account}” asks to send mail from this address. Confirm it only if you know
        why: whoever acts for that account can then write in its name.
      </Text>
      <Button mt="lg" onClick={() => post('/email/verify', { token })}>
        Confirm address
      </Button>
    </>
  )
}

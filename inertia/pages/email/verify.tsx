import { Head } from '@inertiajs/react'
import { Button } from '@mantine/core'
import type { VerifyPage } from '~/components/mail/types'
import styles from '~/components/sign_in/sign_in.module.css'
import { postVisit } from '~/visit'

/**
 * Opening the link does not verify the address, because programs such as virus scanners open it too. The button
 * verifies it (docs/architecture/mail.md).
 */
export default function VerifySender({ asked }: VerifyPage) {
  return (
    <div className={styles.page}>
      <Head title="Confirm address" />
      {asked ? (
        <>
          <h1>Send email from {asked.email}?</h1>
          <p className={styles.hint}>
            {`The account “${asked.account}” wants to send email from this address. Confirm only if you know this account. Its members can then send email in your name.`}
          </p>
          <Button fullWidth onClick={() => postVisit('/email/verify', { token: asked.token })}>
            Confirm address
          </Button>
        </>
      ) : (
        <>
          <h1>This link no longer works</h1>
          <p className={styles.hint}>
            It was already used or is older than 24 hours. In Berth, request a new link on the page
            of this email address.
          </p>
        </>
      )}
    </div>
  )
}

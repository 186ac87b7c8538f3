import { Head } from '@inertiajs/react'
import { Button } from '@mantine/core'
import type { VerifyPage } from '~/components/mail/types'
import styles from '~/components/sign_in/sign_in.module.css'
import { post } from '~/visit'

/** Where the link of a new address leads. Opening it does nothing; its button verifies. */
export default function Verify({ asked }: VerifyPage) {
  return (
    <div className={styles.page}>
      <Head title="Confirm address" />
      {asked ? (
        <>
          <h1>Send mail from {asked.email}?</h1>
          <p className={styles.hint}>
            The account “{asked.account}” asks to send mail from this address. Confirm it only if
            you know why: whoever acts for that account can then write in its name.
          </p>
          <Button fullWidth onClick={() => post('/email/verify', { token: asked.token })}>
            Confirm address
          </Button>
        </>
      ) : (
        <>
          <h1>This link does not work any more</h1>
          <p className={styles.hint}>
            It has been used, or is older than 24 hours. Another one can be asked for where the
            address was added.
          </p>
        </>
      )}
    </div>
  )
}

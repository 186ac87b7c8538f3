import { CopyButton } from '@ui/copy_button'
import { call } from '~/api_call'

interface MaskedSecretKeyProps {
  id: number
  /** Null if the key cannot be used. */
  masked: string | null
}

/** Only copying fetches the real key. */
export function MaskedSecretKey({ id, masked }: MaskedSecretKeyProps) {
  if (masked === null) return <>Not Available</>
  const ask = async () => {
    const { data } = await call<{ secret_key: string }>('/email/secret', {
      data: { id },
      toasts: 'failures',
    })
    return data?.secret_key ?? null
  }
  return (
    <>
      <span className="mono">{masked}</span>
      <CopyButton value={ask} copied="Secret Key Copied!" what="secret key" />
    </>
  )
}

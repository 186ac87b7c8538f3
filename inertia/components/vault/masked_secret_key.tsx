import { CopyButton } from '@ui/copy_button'
import { call } from '~/api_call'

interface MaskedSecretKeyProps {
  id: number
  /** as pages have it; null where it cannot be used */
  masked: string | null
}

/** The secret key of a vault, masked; it is told only to who copies it. */
export function MaskedSecretKey({ id, masked }: MaskedSecretKeyProps) {
  if (masked === null) return <>Not Available</>
  const ask = async () => {
    const { data } = await call<{ secret_key: string }>('/vault/secret', {
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

/** The number that secret keys are used with. */
export function CopyableAccessKeyId({ value }: { value: number | string }) {
  return (
    <>
      <span className="mono">{value}</span>
      <CopyButton value={String(value)} copied="Secret Key Copied!" what="access key id" />
    </>
  )
}

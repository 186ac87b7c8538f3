import { CopyableText } from '@ui/copyable_text'
import { call } from '~/api_call'

interface MaskedSecretKeyProps {
  /** Route that returns the real key. */
  from: '/vault/secret' | '/email/secret'
  id: number
  /** Masked key; null if the key cannot be used. */
  masked: string | null
}

/** The real key is loaded only when the person copies it. */
export function MaskedSecretKey({ from, id, masked }: MaskedSecretKeyProps) {
  if (masked === null) return <>Not Available</>
  const ask = async () => {
    const { data } = await call<{ secret_key: string }>(from, { data: { id }, toasts: 'failures' })
    return data?.secret_key ?? null
  }
  return <CopyableText text={masked} value={ask} copied="Secret Key Copied!" what="secret key" />
}

export function CopyableAccessKeyId({ value }: { value: number | string }) {
  return <CopyableText text={value} copied="Secret Key Copied!" what="access key id" />
}

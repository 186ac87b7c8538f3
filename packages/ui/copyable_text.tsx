import { CopyButton, type CopyButtonProps } from './copy_button'

interface CopyableTextProps extends Partial<CopyButtonProps> {
  text: string | number
  /** Name of the value in the tooltip and for screen readers, such as "IP". */
  what: string
}

/**
 * A technical value such as an IP address, with a button that copies it. If `value` is set, the button copies that
 * instead.
 */
export function CopyableText({ text, copied = 'Copied', ...button }: CopyableTextProps) {
  return (
    <>
      <span className="mono">{text}</span>
      <CopyButton value={String(text)} copied={copied} {...button} />
    </>
  )
}

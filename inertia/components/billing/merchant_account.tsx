import { CopyButton } from '@ui/copy_button'
import { QRCodeSVG } from 'qrcode.react'

/** Where money is sent: to read, to copy, and to scan with the phone that sends it. */
export function MerchantAccount({ number }: { number: string }) {
  return (
    <>
      <strong className="mono">{number}</strong>
      <CopyButton value={number} copied="Copied" what="merchant account" />
      <QRCodeSVG
        value={number.replaceAll(/[ -]/g, '')}
        role="img"
        title={`QR code of ${number}`}
        size={112}
        marginSize={4}
        // Phones read dark on light, whatever the page is.
        bgColor="#ffffff"
        fgColor="#000000"
        style={{ display: 'block', marginTop: 6, borderRadius: 6 }}
      />
    </>
  )
}

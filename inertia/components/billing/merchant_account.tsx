import { CopyButton } from '@ui/copy_button'
import { QRCodeSVG } from 'qrcode.react'

/** Shows the number of the account to which customers send payments, also as a QR code for phones. */
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
        // Always dark on light, because some phones cannot read inverted QR codes.
        bgColor="#ffffff"
        fgColor="#000000"
        style={{ display: 'block', marginTop: 6, borderRadius: 6 }}
      />
    </>
  )
}

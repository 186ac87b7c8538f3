import { Button, Group } from '@mantine/core'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'

interface BillDocumentsProps {
  base: `/billing/${number}` | `/admin/billing/details/${number}`
  noReceipt: string | null
  credits: { number: string; note: string | null }[]
}

const languages = [
  { code: 'en', name: 'English' },
  { code: 'bn', name: 'বাংলা' },
] as const

export function BillDocuments({ base, noReceipt, credits }: BillDocumentsProps) {
  return (
    <section aria-labelledby="documents">
      <h2 id="documents">Documents</h2>
      <Group gap="xs">
        {languages.map(({ code, name }) => (
          <DocumentLink
            key={code}
            label={`Invoice, ${name}`}
            href={`${base}/invoice.pdf?language=${code}`}
          />
        ))}
        {languages.map(({ code, name }) => (
          <DocumentLink
            key={code}
            label={`Receipt, ${name}`}
            href={`${base}/receipt.pdf?language=${code}`}
            reason={noReceipt}
          />
        ))}
        {credits.map(({ number }) =>
          languages.map(({ code, name }) => (
            <DocumentLink
              key={number + code}
              label={`Credit note ${number}, ${name}`}
              href={`${base}/credit-note.pdf?language=${code}&number=${number}`}
            />
          ))
        )}
      </Group>
      {credits.map(
        ({ number, note }) =>
          note && (
            <p key={number}>
              Credit note {number}: {note}
            </p>
          )
      )}
    </section>
  )
}

interface DocumentLinkProps {
  label: string
  href: string
  reason?: string | null
}

function DocumentLink({ label, href, reason = null }: DocumentLinkProps) {
  if (reason) {
    return (
      <ButtonWithDisabledReason size="xs" variant="default" reason={reason}>
        {label}
      </ButtonWithDisabledReason>
    )
  }
  return (
    <Button component="a" size="xs" variant="default" href={href} target="_blank" rel="noopener">
      {label}
    </Button>
  )
}

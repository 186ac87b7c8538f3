import { useState } from 'react'
import { Head, router } from '@inertiajs/react'
import { Dialog } from '@ui/dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { PageHeader } from '@ui/page_header'
import { Tabs } from '@ui/tabs'
import { tabAddress } from '~/components/address_tabs'
import { AddressList } from '~/components/mail/address_list'
import { ApiDocumentation } from '~/components/mail/api_documentation'
import { DomainList } from '~/components/mail/domain_list'
import { MakeDomain, MakeEmail } from '~/components/mail/create_forms'
import type { EmailListPage } from '~/components/mail/types'

/** A customer's addresses and domains for sending mail, and how programs send it. */
export default function Emails(page: EmailListPage) {
  const { tab, full } = page
  const [adding, setAdding] = useState(false)
  const close = () => setAdding(false)
  const add = (
    <DisabledReason reason={full} onClick={() => setAdding(true)}>
      Add New
    </DisabledReason>
  )

  return (
    <>
      <Head title="Email" />
      <PageHeader
        title="Email"
        hint="Send email from your sites and apps through an API or SMTP."
        action={add}
      />
      <ApiDocumentation place={page} />
      <Tabs
        label="Email"
        value={tab}
        tabs={[
          {
            key: 'addresses',
            label: 'Addresses',
            panel: tab === 'addresses' && <AddressList page={page} add={add} />,
          },
          {
            key: 'domains',
            label: 'Domains',
            panel: tab === 'domains' && <DomainList page={page} add={add} />,
          },
        ]}
        // Each list is read by the server, so a tab is a visit.
        onChange={(key) =>
          router.get(tabAddress('/email/list', key, 'addresses'), {}, { preserveScroll: true })
        }
      />
      <Dialog
        opened={adding}
        onClose={close}
        title={tab === 'addresses' ? 'Add new address' : 'Add new domain'}
      >
        {adding &&
          (tab === 'addresses' ? <MakeEmail onDone={close} /> : <MakeDomain onDone={close} />)}
      </Dialog>
    </>
  )
}

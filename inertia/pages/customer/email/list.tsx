import { useState } from 'react'
import { Head, router } from '@inertiajs/react'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import { Tabs } from '@ui/tabs'
import { tabUrl } from '~/components/url_tabs'
import { SenderList } from '~/components/mail/sender_list'
import { ApiDocumentation } from '~/components/mail/api_documentation'
import { DomainList } from '~/components/mail/domain_list'
import { AddDomainForm, AddSenderForm } from '~/components/mail/add_sender_and_domain_forms'
import type { SenderListPage } from '~/components/mail/types'

export default function EmailSenders(page: SenderListPage) {
  const { tab, full } = page
  const [adding, setAdding] = useState(false)
  const close = () => setAdding(false)
  const add = (
    <ButtonWithDisabledReason reason={full} onClick={() => setAdding(true)}>
      Add New
    </ButtonWithDisabledReason>
  )

  return (
    <>
      <Head title="Email" />
      <PageHeader
        title="Email"
        hint="Send email from your sites and apps through an API or SMTP."
        action={add}
      />
      <ApiDocumentation account={page} />
      <Tabs
        label="Email"
        value={tab}
        tabs={[
          {
            key: 'addresses',
            label: 'Addresses',
            panel: tab === 'addresses' && <SenderList page={page} add={add} />,
          },
          {
            key: 'domains',
            label: 'Domains',
            panel: tab === 'domains' && <DomainList page={page} add={add} />,
          },
        ]}
        // The server loads the list of each tab, so a change of tab is a visit.
        onChange={(key) =>
          router.get(tabUrl('/email/list', key, 'addresses'), {}, { preserveScroll: true })
        }
      />
      <Dialog
        opened={adding}
        onClose={close}
        title={tab === 'addresses' ? 'Add new address' : 'Add new domain'}
      >
        {adding &&
          (tab === 'addresses' ? (
            <AddSenderForm onDone={close} />
          ) : (
            <AddDomainForm onDone={close} />
          ))}
      </Dialog>
    </>
  )
}

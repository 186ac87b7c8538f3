import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { NativeSelect } from '@mantine/core'
import { PageHeader } from '@ui/page_header'
import type { MailSettingsPage } from '#core/page_props'
import { ContentSection } from '~/components/content_section'
import { useLiveProps } from '~/components/live/use_live_props'
import { SampleMailPreview } from '~/components/mail/sample_mail_preview'
import own from '~/components/mail/mail.module.css'
import { MailBrandingForm } from '~/components/mail/mail_branding_form'
import { MailTextForm } from '~/components/mail/mail_text_form'
import type { SharedProps } from '~/types'

export default function MailSettings({ settings, kinds }: MailSettingsPage) {
  const { unavailable } = usePage<SharedProps>().props
  const [name, choose] = useState(kinds[0].name)
  const [saved, setSaved] = useState(0)
  useLiveProps(['mails:1'], ['settings', 'kinds'])
  const barred = unavailable?.['mails.manage'] ?? null
  const kind = kinds.find((one) => one.name === name) ?? kinds[0]
  const onSaved = () => setSaved((before) => before + 1)

  return (
    <>
      <Head title="Email templates" />
      <PageHeader title="Email templates" hint="Design and text of the emails that Berth sends." />
      <ContentSection title="Design">
        <MailBrandingForm settings={settings} barred={barred} onSaved={onSaved} />
      </ContentSection>
      <ContentSection title="Text">
        <div className={own.words}>
          <div>
            <NativeSelect
              label="Email"
              mb="md"
              data={kinds.map(({ name: value, label }) => ({ value, label }))}
              value={kind.name}
              onChange={({ currentTarget: { value } }) => choose(value)}
            />
            <MailTextForm key={kind.name} kind={kind} barred={barred} onSaved={onSaved} />
          </div>
          <SampleMailPreview key={`${kind.name}:${saved}`} kind={kind.name} />
        </div>
      </ContentSection>
    </>
  )
}

import { useState } from 'react'
import { FileInput, Textarea, TextInput } from '@mantine/core'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import type { MailSettingsPage } from '#core/page_props'
import { useApiForm } from '~/components/form/use_api_form'
import { useApiCall } from '~/components/use_api_call'
import styles from '~/components/vault/vault.module.css'
import own from './mail.module.css'

interface MailBrandingFormProps {
  settings: MailSettingsPage['settings']
  barred: string | null
  onSaved: () => void
}

export function MailBrandingForm({ settings, barred, onSaved }: MailBrandingFormProps) {
  const [file, choose] = useState<File | null>(null)
  const [logo, setLogo] = useState<string | undefined>()
  const { busy, run } = useApiCall()
  const readTexts = (fields: FormData) => ({
    brand: fields.get('brand'),
    footer: fields.get('footer'),
    reply_to: String(fields.get('reply_to')) || null,
  })
  const form = useApiForm({
    to: '/admin/settings/mail/update',
    send: (fields) => ({ ...readTexts(fields), ...(logo !== undefined && { logo }) }),
    onDone: () => {
      choose(null)
      setLogo(undefined)
      onSaved()
    },
  })
  const read = (selectedFile: File | null) => {
    choose(selectedFile)
    setLogo(undefined)
    if (!selectedFile) return
    const reader = new FileReader()
    reader.onload = () => setLogo(String(reader.result).replace(/^[^,]*,/, ''))
    reader.readAsDataURL(selectedFile)
  }
  const { brand, footer, reply_to: replyTo } = settings
  const removeLogo = async () => {
    const { success } = await run('/admin/settings/mail/update', {
      brand,
      footer,
      reply_to: replyTo,
      logo: null,
    })
    if (success) onSaved()
  }

  return (
    <div className={styles.narrow}>
      <FormFrame form={form} submit="Save design" buttons="left" quiet reason={barred}>
        <TextInput
          label="Name"
          description="Shown at the top of each email, and wherever a text contains {brand}."
          required
          maxLength={60}
          defaultValue={brand}
          {...form.field('brand')}
        />
        <Textarea
          label="Footer"
          description="Shown below each email: your company and address"
          autosize
          minRows={2}
          maxLength={500}
          defaultValue={footer}
          {...form.field('footer')}
        />
        <TextInput
          label="Reply-to address"
          description="If empty, replies go to the sender address"
          type="email"
          maxLength={254}
          defaultValue={replyTo ?? ''}
          {...form.field('reply_to')}
        />
        <FileInput
          label="Logo"
          description="PNG, at most 64 KB. Emails show the logo 32 pixels high. Upload one of at least 64 pixels, so that it looks sharp."
          placeholder={settings.logo ? 'Choose another image' : 'Choose an image'}
          accept="image/png"
          clearable
          value={file}
          onChange={read}
          error={form.errors.logo}
        />
        {settings.logo && (
          <div className={styles.row}>
            <img src={settings.logo} alt="Logo in emails" className={own.logo} />
            <ButtonWithDisabledReason
              size="xs"
              variant="default"
              reason={barred}
              loading={busy !== null}
              onClick={() => void removeLogo()}
            >
              Remove logo
            </ButtonWithDisabledReason>
          </div>
        )}
      </FormFrame>
    </div>
  )
}

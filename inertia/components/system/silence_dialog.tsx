import { NativeSelect, Text, Textarea } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import type { OpenAlert } from './types'

interface SilenceDialogProps {
  need: OpenAlert | null
  onClose: () => void
}

const durationOptions = [
  { value: '1', label: '1 hour' },
  { value: '4', label: '4 hours' },
  { value: '24', label: '1 day' },
  { value: '72', label: '3 days' },
  { value: '168', label: '1 week' },
]

export function SilenceDialog({ need, onClose }: SilenceDialogProps) {
  return (
    <Dialog opened={need !== null} onClose={onClose} title="Silence alert">
      {need && <SilenceForm need={need} onClose={onClose} />}
    </Dialog>
  )
}

function SilenceForm({ need, onClose }: { need: OpenAlert; onClose: () => void }) {
  const form = useApiForm({
    to: `/admin/alerts/${need.id}/silence`,
    send: (fields) => ({ hours: Number(fields.get('hours')), reason: fields.get('reason') }),
    onDone: onClose,
  })
  return (
    <FormFrame form={form} submit="Silence alert" onCancel={onClose}>
      <Text style={{ overflowWrap: 'anywhere' }}>
        {need.label}: {need.words}
      </Text>
      <NativeSelect
        label="Duration"
        data={durationOptions}
        defaultValue="4"
        description="The alert stays on this page. Berth sends no reminders, but still notifies the recipients when the alert is resolved."
        {...form.field('hours')}
      />
      <Textarea
        label="Reason"
        required
        maxLength={500}
        autosize
        minRows={2}
        data-autofocus
        description="Other staff can read it here and in the audit log."
        {...form.field('reason')}
      />
    </FormFrame>
  )
}

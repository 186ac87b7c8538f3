import { NativeSelect, TextInput, useMantineColorScheme } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useInertiaForm } from '~/components/form/use_inertia_form'
import { ProfileSection } from './profile_section'
import type { ProfilePath, ProfilePage } from './types'

const schemes = [
  { value: 'auto', label: 'Same as device' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

export function ProfileDetailsForm({
  base,
  profile,
  instances,
}: { base: ProfilePath } & ProfilePage) {
  const staff = base === '/admin/profile'
  const { setColorScheme } = useMantineColorScheme()
  const form = useInertiaForm(
    {
      name: profile.name,
      ...(staff && { title: profile.title ?? '' }),
      color_scheme: profile.colorScheme,
      ...(!staff && { default_instance_id: profile.default_instance_id }),
    },
    { to: `${base}/update`, onDone: (saved) => setColorScheme(saved.color_scheme) }
  )

  return (
    <ProfileSection
      title="About you"
      hint={
        staff
          ? 'Your name appears in emails and in the activity log.'
          : 'Your name appears in emails and in the activity log. Bills show the account name, which you change under Members.'
      }
    >
      <FormFrame form={form} submit="Save profile" buttons="left">
        <TextInput
          label="Name"
          required
          maxLength={100}
          autoComplete="name"
          {...form.text('name')}
        />
        {staff && (
          <TextInput
            label="Title"
            maxLength={100}
            autoComplete="organization-title"
            {...form.text('title')}
          />
        )}
        <NativeSelect label="Theme" data={schemes} {...form.text('color_scheme')} />
        {!staff && (
          <NativeSelect
            label="Default instance"
            description="The file manager, databases and new projects use this instance by default."
            data={[
              { value: '', label: instances.length ? 'None' : 'You have no instance yet' },
              ...instances.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            disabled={instances.length === 0}
            {...form.text('default_instance_id')}
            onChange={(event) =>
              form.setData({
                ...form.data,
                default_instance_id: Number(event.currentTarget.value) || null,
              })
            }
          />
        )}
      </FormFrame>
    </ProfileSection>
  )
}

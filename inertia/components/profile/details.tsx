import { useForm } from '@inertiajs/react'
import { Button, NativeSelect, TextInput, useMantineColorScheme } from '@mantine/core'
import type { ColorScheme } from '~/types'
import { field } from '@ui/form_field'
import { Section } from './section'
import styles from './section.module.css'
import type { Base, ProfilePage } from './types'

const schemes = [
  { value: 'auto', label: 'As the device' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** Name, title, theme and default instance. */
export function Details({ base, profile, instances }: { base: Base } & ProfilePage) {
  const staff = base === '/admin/profile'
  const { setColorScheme } = useMantineColorScheme()
  const form = useForm({
    name: profile.name,
    ...(staff && { title: profile.title ?? '' }),
    color_scheme: profile.colorScheme,
    ...(!staff && { default_instance_id: profile.defaultInstanceId }),
  })
  const { data, errors, processing } = form

  return (
    <Section title="About you" hint="Your name is on bills, in mails and in the activity log.">
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          form.post(`${base}/update`, {
            preserveScroll: true,
            onSuccess: () => setColorScheme(data.color_scheme),
          })
        }}
      >
        <TextInput
          {...field('name', errors)}
          label="Name"
          required
          maxLength={100}
          autoComplete="name"
          value={data.name}
          onChange={(event) => form.setData('name', event.currentTarget.value)}
        />
        {staff && (
          <TextInput
            {...field('title', errors)}
            label="Title"
            maxLength={100}
            autoComplete="organization-title"
            value={data.title ?? ''}
            onChange={(event) => form.setData('title', event.currentTarget.value)}
          />
        )}
        <NativeSelect
          {...field('color_scheme', errors)}
          label="Theme"
          data={schemes}
          value={data.color_scheme}
          onChange={(event) =>
            form.setData('color_scheme', event.currentTarget.value as ColorScheme)
          }
        />
        {!staff && (
          <NativeSelect
            {...field('default_instance_id', errors)}
            label="Default instance"
            description="File manager, databases and new projects start with it."
            data={[
              { value: '', label: instances.length ? 'None' : 'You have no instance yet' },
              ...instances.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            disabled={instances.length === 0}
            value={data.default_instance_id ? String(data.default_instance_id) : ''}
            onChange={(event) =>
              form.setData('default_instance_id', Number(event.currentTarget.value) || null)
            }
          />
        )}
        <Button type="submit" loading={processing}>
          Save profile
        </Button>
      </form>
    </Section>
  )
}

import { useEffect, useState } from 'react'
import { NativeSelect, TextInput } from '@mantine/core'
import type { fieldProps as fieldOf } from '@ui/form_field'
import type { GetRoutePath } from '#core/page_addresses'
import { call } from '~/api_call'
import type { DescriptionItem } from '~/components/description_list'
import type { PhpChoices, ProjectView } from './types'
import styles from './project.module.css'

export interface PhpFormValues {
  php_upload_mb: string
  php_memory_mb: string
  php_seconds: string
  php_version: string
}

export function toPhpFormValues({ php }: ProjectView): PhpFormValues {
  return {
    php_upload_mb: String(php.php_upload_mb),
    php_memory_mb: String(php.php_memory_mb),
    php_seconds: String(php.php_seconds),
    php_version: php.php_version ?? '',
  }
}

export function phpSettingItems({ php }: ProjectView): DescriptionItem[] {
  return [
    { label: 'PHP Upload Size', value: `${php.php_upload_mb} MB` },
    { label: 'PHP Memory Limit', value: `${php.php_memory_mb} MB` },
    { label: 'PHP Time Limit', value: `${php.php_seconds} s` },
    { label: 'PHP Version', value: php.php_version ?? 'Newest installed version' },
  ]
}

interface PhpFieldsProps {
  draft: PhpFormValues
  set: (change: Partial<PhpFormValues>) => void
  field: (name: string) => ReturnType<typeof fieldOf>
  path: GetRoutePath
}

/** The field for the version appears only if several versions are installed or one was chosen. */
export function PhpFields({ draft, set, field, path }: PhpFieldsProps) {
  const versions = usePhpVersions(path)
  const known = [...new Set([...versions, draft.php_version].filter(Boolean))]
  const limit = (name: keyof PhpFormValues) => ({
    required: true,
    inputMode: 'numeric' as const,
    autoComplete: 'off',
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      set({ [name]: event.currentTarget.value }),
    ...field(name),
  })
  return (
    <>
      <div className={styles.pair}>
        <TextInput label="PHP Upload Size (MB)" {...limit('php_upload_mb')} />
        <TextInput label="PHP Memory Limit (MB)" {...limit('php_memory_mb')} />
        <TextInput label="PHP Time Limit (s)" {...limit('php_seconds')} />
      </div>
      {(known.length > 1 || draft.php_version) && (
        <NativeSelect
          label="PHP Version"
          value={draft.php_version}
          onChange={({ currentTarget: { value } }) => set({ php_version: value })}
          data={[
            { value: '', label: 'Newest installed version' },
            ...known.map((version) => ({ value: version, label: `PHP ${version}` })),
          ]}
          {...field('php_version')}
        />
      )}
    </>
  )
}

function usePhpVersions(path: GetRoutePath): string[] {
  const [versions, setVersions] = useState<string[]>([])
  useEffect(() => {
    let left = false
    void call<PhpChoices>(path, { toasts: 'none' }).then(({ success, data }) => {
      if (!left && success && data) setVersions(data.versions)
    })
    return () => {
      left = true
    }
  }, [path])
  return versions
}

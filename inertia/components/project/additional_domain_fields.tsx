import { Button, Checkbox, Input, NativeSelect, TextInput } from '@mantine/core'
import type { fieldProps as fieldOf } from '@ui/form_field'
import type { AdditionalDomain, VirtualHost } from './types'
import styles from './project.module.css'

const MAX_ADDITIONAL_DOMAINS = 5

export const additionalDomainUseLabels: Record<AdditionalDomain['use'], string> = {
  serve: 'Serves the site',
  redirect: 'Redirects to the primary domain',
}

export interface DomainFormValues {
  other_names: AdditionalDomain[]
  https_redirect: boolean
}

export function toDomainFormValues(host: VirtualHost | null): DomainFormValues {
  return {
    other_names: host?.other_names ?? [],
    https_redirect: host?.https_redirect ?? true,
  }
}

/**
 * Suggests an additional domain: the primary domain with `www.`, or without it. Returns '' if there is no primary
 * domain, or if `others` already contains the suggestion.
 */
export function suggestAdditionalDomain(
  main: string,
  others: Pick<AdditionalDomain, 'name'>[]
): string {
  const name = main.trim().toLowerCase()
  if (!name) return ''
  const suggestion = name.startsWith('www.') ? name.slice('www.'.length) : `www.${name}`
  return others.some((other) => other.name === suggestion) ? '' : suggestion
}

interface AdditionalDomainFieldsProps {
  main: string
  draft: DomainFormValues
  set: (change: Partial<DomainFormValues>) => void
  field: (name: string) => ReturnType<typeof fieldOf>
}

export function AdditionalDomainFields({ main, draft, set, field }: AdditionalDomainFieldsProps) {
  const { other_names: names, https_redirect: isRedirected } = draft
  const change = (index: number, change: Partial<AdditionalDomain>) =>
    set({ other_names: names.map((one, at) => (at === index ? { ...one, ...change } : one)) })
  return (
    <>
      <Input.Wrapper
        label="Additional Domains"
        labelElement="div"
        description="For example www.example.com if the primary domain is example.com. Each needs the same DNS record as the primary domain."
      >
        {names.map(({ name, use }, index) => (
          <div key={index} className={styles.additionalDomain}>
            <TextInput
              aria-label={`Additional domain ${index + 1}`}
              placeholder="www.example.com"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={name}
              onChange={({ currentTarget }) => change(index, { name: currentTarget.value })}
              {...field(`other_names.${index}.name`)}
            />
            <NativeSelect
              aria-label={`Use of additional domain ${index + 1}`}
              data={Object.entries(additionalDomainUseLabels).map(([value, label]) => ({
                value,
                label,
              }))}
              value={use}
              onChange={({ currentTarget }) =>
                change(index, { use: currentTarget.value as AdditionalDomain['use'] })
              }
              {...field(`other_names.${index}.use`)}
            />
            <Button
              variant="default"
              aria-label={`Remove additional domain ${index + 1}`}
              onClick={() => set({ other_names: names.filter((_, at) => at !== index) })}
            >
              Remove
            </Button>
          </div>
        ))}
        {names.length < MAX_ADDITIONAL_DOMAINS && (
          <Button
            variant="default"
            size="compact-sm"
            mt={8}
            onClick={() =>
              set({
                other_names: [
                  ...names,
                  { name: suggestAdditionalDomain(main, names), use: 'redirect' },
                ],
              })
            }
          >
            Add another domain
          </Button>
        )}
      </Input.Wrapper>
      <Checkbox
        label="Redirect HTTP to HTTPS"
        description="Takes effect once the certificate works."
        checked={isRedirected}
        onChange={({ currentTarget }) => set({ https_redirect: currentTarget.checked })}
        {...field('https_redirect')}
      />
    </>
  )
}
